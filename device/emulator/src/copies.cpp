// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: they land at issue, in 16-byte pieces out of order at any time, or as late
// as is legal, and they read their source when they land.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "machine/operations.h"
#include "src/cluster.h"
#include "src/findings.h"
#include "src/tensor_map.h"
#include "src/watch.h"

namespace chainwalk::emulator {
namespace {

constexpr std::int64_t piece_bytes = 16;
enum class Delivery : std::uint32_t { at_issue, by_chance, late };

// Bytes [from, from + piece_bytes) of a copy, zeros where a box leaves its tensor.
void land_piece(const BulkCopy& copy, std::int64_t piece) {
  const std::int64_t from = piece * piece_bytes;
  const std::int64_t row = from / copy.row_bytes;
  const std::int64_t column = from % copy.row_bytes;
  unsigned char* target = copy.target + from;
  const bool row_exists = row >= copy.valid_first_row && row < copy.valid_rows_end;
  const std::int64_t low = std::clamp(copy.valid_low - column, std::int64_t{0}, piece_bytes);
  const std::int64_t high = std::clamp(copy.valid_high - column, low, piece_bytes);
  if (!row_exists || high - low < piece_bytes) std::memset(target, 0, piece_bytes);
  if (row_exists && high > low) {
    std::memcpy(target + low, copy.source + row * copy.source_stride + column + low,
                static_cast<std::size_t>(high - low));
  }
}

Lane& issuer_of(Cluster& cluster, const BulkCopy& copy) {
  const std::int32_t warp = copy.block->first_warp + copy.thread / 32;
  return lane_of_warp(cluster, cluster.warps[static_cast<std::size_t>(warp)], copy.thread % 32);
}

// A phase that ended before its copies did was told of too few bytes.
void check_phase(Cluster& cluster, const BulkCopy& copy) {
  const BarrierObject& barrier = copy.block->barriers[static_cast<std::size_t>(copy.barrier)];
  if (barrier.live && barrier.phase == copy.phase) return;
  accuse(issuer_of(cluster, copy),
         {.kind = "transaction-bytes",
          .what = "issued a copy in phase " + std::to_string(copy.phase) +
                  " of a barrier that reached phase " + std::to_string(barrier.phase) +
                  " before the copy landed: fewer bytes were expected than copied",
          .address = copy.target,
          .site = copy.site});
}

void land_pieces(Cluster& cluster, BulkCopy& copy, std::int64_t count) {
  check_phase(cluster, copy);
  count = std::min(count, copy.pieces - copy.landed);
  for (std::int64_t turn = 0; turn < count; ++turn, ++copy.landed) {
    land_piece(copy, (copy.order_start + copy.landed * copy.order_factor) % copy.pieces);
  }
  complete_transactions(cluster, *copy.block, copy.barrier, count * piece_bytes);
  const BarrierObject& barrier = copy.block->barriers[static_cast<std::size_t>(copy.barrier)];
  check_bytes(issuer_of(cluster, copy), barrier, copy.site);
}

void drop_landed(Cluster& cluster, std::size_t index) {
  if (cluster.copies[index].landed < cluster.copies[index].pieces) return;
  cluster.copies[index] = cluster.copies.back();
  cluster.copies.pop_back();
}

void land_thread_copy(Cluster& cluster, AsyncCopy& copy) {
  if (copy.landed) return;
  copy.landed = true;
  --cluster.unlanded_thread_copies;
  ++cluster.progress;
  std::memset(copy.target, 0, piece_bytes);
  std::memcpy(copy.target, copy.source, static_cast<std::size_t>(copy.source_bytes));
}

bool land_some_thread_copy(Cluster& cluster) {
  if (cluster.unlanded_thread_copies == 0) return false;
  const auto threads = static_cast<std::uint32_t>(cluster.thread_copies.size());
  const std::uint32_t first = cluster.choices.choose(threads);
  for (std::uint32_t turn = 0; turn < threads; ++turn) {
    for (AsyncCopy& copy : cluster.thread_copies[(first + turn) % threads].copies) {
      if (copy.landed || cluster.choices.coin(2)) continue;
      land_thread_copy(cluster, copy);
      return true;
    }
  }
  return false;
}

// Where and in which order a copy lands; the destination holds poison until then.
void dispatch(Lane& lane, BulkCopy copy) {
  Cluster& cluster = cluster_of(lane);
  BarrierObject& barrier = lane.block->barriers[static_cast<std::size_t>(copy.barrier)];
  copy.block = lane.block;
  copy.thread = lane.thread;
  copy.site = lane.site;
  copy.phase = barrier.phase;
  copy.pieces = copy.row_bytes * copy.rows / piece_bytes;
  barrier.copy_phases = std::max(barrier.copy_phases, barrier.phase + 1);
  if (cluster.watch != nullptr) watch_bulk_issue(*cluster.watch, lane, copy);
  if (copy.pieces == 0) return;
  const auto delivery = static_cast<Delivery>(cluster.choices.choose(3));
  if (delivery == Delivery::at_issue) {
    land_pieces(cluster, copy, copy.pieces);
    return;
  }
  copy.late = delivery == Delivery::late;
  copy.order_start = cluster.choices.choose(static_cast<std::uint32_t>(copy.pieces));
  copy.order_factor = 1 + cluster.choices.choose(static_cast<std::uint32_t>(copy.pieces));
  while (std::gcd(copy.order_factor, copy.pieces) != 1) ++copy.order_factor;
  std::memset(copy.target, shared_poison, static_cast<std::size_t>(copy.pieces * piece_bytes));
  cluster.copies.push_back(copy);
}

std::int32_t barrier_for_copy(Lane& lane, std::uint64_t* barrier, const char* operation) {
  const BarrierObject& object = find_barrier(lane, barrier, operation);
  if (!object.fenced) {
    accuse(lane, {.kind = "barrier-init-not-fenced",
                  .what = std::string(operation) +
                          " completes on a barrier whose initialization was not fenced",
                  .address = barrier});
  }
  return static_cast<std::int32_t>(&object - lane.block->barriers.data());
}

void need_range(Lane& lane, const void* shared, std::int64_t bytes, std::uint32_t alignment,
                const char* operation) {
  const std::uint32_t offset = shared_address(shared);
  if (offset % alignment != 0) {
    accuse(lane, {.kind = "misaligned",
                  .what = std::string(operation) + " has a destination that is not " +
                          std::to_string(alignment) + "-byte aligned",
                  .address = shared});
  }
  if (offset + bytes > cluster_of(lane).launch->shared_bytes) {
    accuse(lane, {.kind = "out-of-bounds",
                  .what = std::string(operation) + " writes " + std::to_string(bytes) +
                          " bytes, past the end of the shared memory",
                  .address = shared});
  }
}

bool misaligned(const void* pointer, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment != 0;
}

}  // namespace

bool land_something(Cluster& cluster) {
  if (!cluster.copies.empty()) {
    const std::uint32_t index =
        cluster.choices.choose(static_cast<std::uint32_t>(cluster.copies.size()));
    BulkCopy& copy = cluster.copies[index];
    const std::int64_t left = copy.pieces - copy.landed;
    land_pieces(cluster, copy, copy.late ? left : std::max<std::int64_t>(1, left / 2));
    drop_landed(cluster, index);
    return true;
  }
  return land_some_thread_copy(cluster);
}

void land_by_chance(Cluster& cluster) {
  if (!cluster.copies.empty() && cluster.choices.coin(4)) {
    const std::uint32_t index =
        cluster.choices.choose(static_cast<std::uint32_t>(cluster.copies.size()));
    BulkCopy& copy = cluster.copies[index];
    if (!copy.late) {
      const auto pieces = static_cast<std::uint32_t>(copy.pieces);
      land_pieces(cluster, copy, 1 + cluster.choices.choose(pieces));
      drop_landed(cluster, index);
    }
  }
  if (cluster.unlanded_thread_copies > 0 && cluster.choices.coin(8)) {
    land_some_thread_copy(cluster);
  }
}

void land_thread_copies(Lane& lane, std::uint32_t up_to_group) {
  Cluster& cluster = cluster_of(lane);
  PendingCopies& mine = *lane.copies;
  for (AsyncCopy& copy : mine.copies) {
    if (copy.group >= up_to_group) continue;
    land_thread_copy(cluster, copy);
    if (cluster.watch != nullptr) watch_thread_copy_done(*cluster.watch, lane, copy);
  }
  std::erase_if(mine.copies, [&](const AsyncCopy& copy) { return copy.group < up_to_group; });
  mine.finished_groups = std::max(mine.finished_groups, up_to_group);
}

void check_copies_at_exit(Lane& lane) {
  const PendingCopies& mine = *lane.copies;
  if (mine.last_group_with_copies <= mine.finished_groups) return;
  accuse(lane, {.kind = "copy-in-flight",
                .what = "exits without having waited for its own asynchronous copies of group " +
                        std::to_string(mine.last_group_with_copies - 1)});
}

void async_copy_16(void* shared, const void* global, int source_bytes) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  need_range(lane, shared, piece_bytes, piece_bytes, "an asynchronous copy");
  if (source_bytes < 0 || source_bytes > piece_bytes || misaligned(global, piece_bytes)) {
    accuse(lane,
           {.kind = source_bytes < 0 || source_bytes > piece_bytes ? "copy-size" : "misaligned",
            .what = "copies " + std::to_string(source_bytes) +
                    " of 16 bytes asynchronously; 0..16, from a 16-byte aligned source",
            .address = global});
  }
  Cluster& cluster = cluster_of(lane);
  PendingCopies& mine = *lane.copies;
  AsyncCopy copy{.target = static_cast<unsigned char*>(shared),
                 .source = static_cast<const unsigned char*>(global),
                 .source_bytes = source_bytes,
                 .group = mine.open_group,
                 .site = lane.site};
  mine.last_group_with_copies = mine.open_group + 1;
  if (cluster.watch != nullptr) watch_thread_copy_issue(*cluster.watch, lane, copy);
  ++cluster.unlanded_thread_copies;
  if (cluster.choices.choose(2) == 0) {
    land_thread_copy(cluster, copy);
    if (cluster.watch == nullptr) return;
  } else {
    std::memset(shared, shared_poison, piece_bytes);
  }
  mine.copies.push_back(copy);
}

void async_copy_commit() { ++this_lane().copies->open_group; }

void async_copy_wait(int pending) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  const PendingCopies& mine = *lane.copies;
  const auto kept = static_cast<std::uint32_t>(pending);
  land_thread_copies(lane, mine.open_group > kept ? mine.open_group - kept : 0);
}

void fence_proxy_async() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  if (!cluster_of(lane).launch->limits.async_image) {
    accuse(lane, {.kind = "unsupported-operation",
                  .what = "uses a proxy fence, which this device class lacks"});
  }
  for (BarrierObject& barrier : lane.block->barriers) {
    if (barrier.initializer == lane.thread) barrier.fenced = true;
  }
  if (cluster_of(lane).watch != nullptr) watch_proxy_fence(*cluster_of(lane).watch, lane);
}

void bulk_copy(void* shared, const void* global, std::uint32_t bytes, std::uint64_t* barrier) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  const std::int32_t index = barrier_for_copy(lane, barrier, "a bulk copy");
  need_range(lane, shared, bytes, piece_bytes, "a bulk copy");
  if (misaligned(global, piece_bytes) || bytes % piece_bytes != 0) {
    accuse(lane, {.kind = "misaligned",
                  .what = "bulk-copies " + std::to_string(bytes) +
                          " bytes; source and size must be multiples of 16",
                  .address = global});
  }
  BulkCopy copy;
  copy.target = static_cast<unsigned char*>(shared);
  copy.source = static_cast<const unsigned char*>(global);
  copy.row_bytes = copy.valid_high = bytes;
  copy.barrier = index;
  dispatch(lane, copy);
}

void tensor_copy_2d(void* shared, const device::TensorMap* map, int column, int row,
                    std::uint64_t* barrier) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  const TensorGeometry* tensor = decode_tensor_map(*map);
  if (tensor == nullptr) {
    accuse(lane, {.kind = "tensor-map", .what = "uses a tensor map that was never encoded"});
  }
  // Seen on the chip: an illegal instruction, whether or not the box lies within the matrix.
  if (std::int64_t{column} * tensor->element_bytes % piece_bytes != 0) {
    accuse(lane, {.kind = "misaligned",
                  .what = "copies a tensor box from column " + std::to_string(column) + " of " +
                          std::to_string(tensor->element_bytes) +
                          "-byte elements; boxes begin at multiples of 16 bytes"});
  }
  const std::int32_t index = barrier_for_copy(lane, barrier, "a tensor copy");
  BulkCopy copy = box_of(*tensor, column, row);
  need_range(lane, shared, copy.row_bytes * copy.rows, 128, "a tensor copy");
  copy.target = static_cast<unsigned char*>(shared);
  copy.barrier = index;
  dispatch(lane, copy);
}

void prefetch_tensor_map(const device::TensorMap* map) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  if (decode_tensor_map(*map) == nullptr) {
    accuse(lane, {.kind = "tensor-map", .what = "prefetches a tensor map that was never encoded"});
  }
}

}  // namespace chainwalk::emulator
