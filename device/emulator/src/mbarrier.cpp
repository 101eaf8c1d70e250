// SPDX-License-Identifier: Apache-2.0
// Transaction barriers: phases end when no arrival and no byte is pending.
#include <algorithm>

#include "machine/operations.h"
#include "src/cluster.h"
#include "src/findings.h"
#include "src/watch.h"

namespace chainwalk::emulator {
namespace {

constexpr std::int64_t count_limit = std::int64_t{1} << 20U;  // of arrivals and of bytes
constexpr std::uint64_t live_mark = 0x4241'5252'0000'0000U;
constexpr std::uint64_t dead_mark = 0x4445'4144'0000'0000U;
constexpr std::uint64_t mark_bits = 0xFFFF'FFFF'0000'0000U;

void need_place(Lane& lane, const std::uint64_t* barrier, const char* operation) {
  if (!cluster_of(lane).launch->limits.async_image) {
    accuse(lane, {.kind = "unsupported-operation",
                  .what = "uses a transaction barrier, which this device class lacks"});
  }
  const std::uint32_t offset = shared_address(barrier);
  if (offset % 8 != 0) {
    accuse(lane, {.kind = "misaligned",
                  .what = std::string(operation) + " names a barrier that is not 8-byte aligned",
                  .address = barrier});
  }
  if (offset + 8 > static_cast<std::uint64_t>(cluster_of(lane).launch->shared_bytes)) {
    accuse(lane, {.kind = "out-of-bounds",
                  .what = std::string(operation) + " names a barrier past the shared memory",
                  .address = barrier});
  }
}

// The object whose mark stands at the place, live or not; null when there is none.
BarrierObject* object_at(Lane& lane, const std::uint64_t* barrier) {
  std::vector<BarrierObject>& all = lane.block->barriers;
  const std::uint64_t mark = *barrier & mark_bits;
  const std::uint64_t index = *barrier & ~mark_bits;
  if ((mark != live_mark && mark != dead_mark) || index >= all.size()) return nullptr;
  BarrierObject& object = all[index];
  return object.offset == shared_address(barrier) ? &object : nullptr;
}

void finish_phase_if_due(Cluster& cluster, Block& block, BarrierObject& barrier) {
  if (barrier.pending != 0 || barrier.transactions != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  ++cluster.progress;
  if (cluster.watch != nullptr) watch_barrier_phase(*cluster.watch, block, barrier);
  wake_waiters(cluster, block, barrier, false);
}

bool has_completed(const BarrierObject& barrier, int parity) {
  return static_cast<int>(barrier.phase & 1U) != parity;
}

void expect(Lane& lane, BarrierObject& barrier, std::int64_t bytes) {
  barrier.transactions += bytes;
  if (barrier.transactions >= count_limit) {
    accuse(lane, {.kind = "transaction-overflow",
                  .what = "makes " + std::to_string(barrier.transactions) +
                          " bytes pending on a barrier; the limit is 1048575",
                  .address = lane.shared + barrier.offset});
  }
}

void arrive(Lane& lane, BarrierObject& barrier) {
  if (cluster_of(lane).watch != nullptr) {
    watch_barrier_arrive(*cluster_of(lane).watch, lane, barrier);
  }
  --barrier.pending;
  check_bytes(lane, barrier, lane.site);
  finish_phase_if_due(cluster_of(lane), *lane.block, barrier);
}

std::string state_of(const BarrierObject& barrier) {
  return "phase " + std::to_string(barrier.phase) + ", " + std::to_string(barrier.pending) +
         " of " + std::to_string(barrier.count) + " arrivals and " +
         std::to_string(barrier.transactions) + " bytes pending";
}

// What must hold when an object goes away: nothing pending, and copies waited for.
void check_quiet(Lane& lane, const BarrierObject& barrier, const char* occasion) {
  const void* address = lane.shared + barrier.offset;
  if (barrier.copy_phases > barrier.observed) {
    accuse(lane,
           {.kind = "copy-in-flight",
            .what = std::string(occasion) + " while no lane has waited for the copies of phase " +
                    std::to_string(barrier.copy_phases - 1) + " of a barrier (" +
                    state_of(barrier) + ")",
            .address = address});
  }
  if (barrier.transactions != 0) {
    accuse(lane, {.kind = "transaction-bytes",
                  .what = std::string(occasion) + " with " + std::to_string(barrier.transactions) +
                          " bytes expected but not complete (" + state_of(barrier) + ")",
                  .address = address});
  }
}

}  // namespace

void check_bytes(Lane& lane, const BarrierObject& barrier, const void* site) {
  if (barrier.pending != 0 || barrier.transactions >= 0) return;
  accuse(lane,
         {.kind = "transaction-bytes",
          .what = "takes part in a phase whose copies complete " +
                  std::to_string(-barrier.transactions) + " bytes more than its arrivals expect",
          .address = lane.shared + barrier.offset,
          .site = site});
}

bool wake_waiters(Cluster& cluster, Block& block, BarrierObject& barrier, bool timeout) {
  if (barrier.waiters.empty()) return false;
  const auto base = block.first_warp;
  for (const std::int32_t thread : barrier.waiters) {
    Warp& warp = cluster.warps[static_cast<std::size_t>(base + thread / 32)];
    Lane& lane = lane_of_warp(cluster, warp, thread % 32);
    lane.waits_on = static_cast<std::uint32_t>(Wait::nothing);
    lane.woken_by_timeout = timeout;
    make_ready(cluster, warp, 1U << static_cast<unsigned>(thread % 32));
  }
  barrier.waiters.clear();
  return true;
}

BarrierObject& find_barrier(Lane& lane, const std::uint64_t* barrier, const char* operation) {
  need_place(lane, barrier, operation);
  BarrierObject* object = object_at(lane, barrier);
  if (object == nullptr) {
    accuse(lane, {.kind = "barrier-not-initialized",
                  .what = std::string(operation) + " uses a barrier that is not initialized, or "
                                                   "that was overwritten",
                  .address = barrier});
  }
  if (!object->live) {
    accuse(lane, {.kind = "barrier-invalidated",
                  .what = std::string(operation) + " uses a barrier after its invalidation",
                  .address = barrier});
  }
  return *object;
}

void complete_transactions(Cluster& cluster, Block& block, std::int32_t barrier,
                           std::int64_t bytes) {
  BarrierObject& object = block.barriers[static_cast<std::size_t>(barrier)];
  object.transactions -= bytes;
  ++cluster.progress;
  finish_phase_if_due(cluster, block, object);
}

void check_barriers_at_exit(Lane& lane) {
  for (const BarrierObject& barrier : lane.block->barriers) {
    if (barrier.live) check_quiet(lane, barrier, "the block exits");
  }
}

std::uint32_t shared_address(const void* pointer) {
  Lane& lane = this_lane();
  const auto* byte = static_cast<const unsigned char*>(pointer);
  const auto distance =
      reinterpret_cast<std::uintptr_t>(byte) - reinterpret_cast<std::uintptr_t>(lane.shared);
  // One past the end is an address too.
  if (distance > static_cast<std::uintptr_t>(cluster_of(lane).launch->shared_bytes)) {
    accuse(lane, {.kind = "out-of-bounds",
                  .what = "takes the shared address of what is not its block's shared memory",
                  .address = pointer});
  }
  return static_cast<std::uint32_t>(distance);
}

void barrier_init(std::uint64_t* barrier, int arrivals) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  need_place(lane, barrier, "an initialization");
  if (arrivals < 1 || arrivals >= count_limit) {
    accuse(lane, {.kind = "barrier-count",
                  .what = "initializes a barrier with " + std::to_string(arrivals) +
                          " arrivals; the range is 1..1048575",
                  .address = barrier});
  }
  std::vector<BarrierObject>& all = lane.block->barriers;
  const std::uint32_t offset = shared_address(barrier);
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const BarrierObject& object) { return object.offset == offset; });
  if (found != all.end() && found->live && object_at(lane, barrier) != nullptr) {
    accuse(lane, {.kind = "barrier-init-live",
                  .what = "initializes a barrier that is live (" + state_of(*found) + ")",
                  .address = barrier});
  }
  BarrierObject& object = found != all.end() ? *found : all.emplace_back();
  object.offset = offset;
  object.count = arrivals;
  object.pending = arrivals;
  object.transactions = 0;
  object.phase = object.observed = object.copy_phases = 0;
  object.initializer = lane.thread;
  object.live = true;
  object.fenced = false;
  object.waiters.clear();
  *barrier = live_mark | static_cast<std::uint64_t>(&object - all.data());
  if (cluster_of(lane).watch != nullptr) {
    watch_barrier_init(*cluster_of(lane).watch, lane, object, true);
  }
}

void barrier_init_fence() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  for (BarrierObject& barrier : lane.block->barriers) {
    if (barrier.initializer == lane.thread) barrier.fenced = true;
  }
}

void barrier_invalidate(std::uint64_t* barrier) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  BarrierObject& object = find_barrier(lane, barrier, "an invalidation");
  check_quiet(lane, object, "a barrier is invalidated");
  if (object.pending != object.count || !object.waiters.empty()) {
    accuse(lane, {.kind = "barrier-invalidated-pending",
                  .what = "invalidates a barrier in use (" + state_of(object) + ", " +
                          std::to_string(object.waiters.size()) + " lanes waiting)",
                  .address = barrier});
  }
  if (cluster_of(lane).watch != nullptr) {
    watch_barrier_init(*cluster_of(lane).watch, lane, object, false);
  }
  object.live = false;
  *barrier = dead_mark | (*barrier & ~mark_bits);
}

void barrier_arrive_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  BarrierObject& object = find_barrier(lane, barrier, "an arrival");
  expect(lane, object, bytes);
  arrive(lane, object);
}

void barrier_arrive(std::uint64_t* barrier) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  arrive(lane, find_barrier(lane, barrier, "an arrival"));
}

bool barrier_try_wait(std::uint64_t* barrier, int parity) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  const auto index = &find_barrier(lane, barrier, "a wait") - lane.block->barriers.data();
  if (parity != 0 && parity != 1) {
    accuse(lane, {.kind = "barrier-parity",
                  .what = "waits for parity " + std::to_string(parity) + "; it is 0 or 1",
                  .address = barrier});
  }
  Cluster& cluster = cluster_of(lane);
  const auto object = [&]() -> BarrierObject& {
    return lane.block->barriers[static_cast<std::size_t>(index)];
  };
  if (cluster.choices.coin(spurious_odds)) return false;
  if (!has_completed(object(), parity)) {
    object().waiters.push_back(lane.thread);
    lane.warp->ready &= ~lane_bit(lane);
    lane.waits_on = static_cast<std::uint32_t>(Wait::barrier);
    lane.wait_barrier = static_cast<std::int32_t>(index);
    lane.wait_parity = parity;
    suspend(lane);
    // The next wait of a loop sees what has happened since; this one tells only of completion.
    if (lane.woken_by_timeout) return false;
  }
  BarrierObject& waited = object();
  if (!has_completed(waited, parity)) return false;
  waited.observed = std::max(waited.observed, waited.phase);
  if (cluster.watch != nullptr) watch_barrier_waited(*cluster.watch, lane, waited);
  return true;
}

}  // namespace chainwalk::emulator
