// SPDX-License-Identifier: Apache-2.0
// Every access to shared memory against the last ones of the same bytes: races, never-written
// bytes, copies in flight, and the two views that only a proxy fence joins.
#include <algorithm>

#include "src/findings.h"
#include "src/watch.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {

// Whether the access is of the block that runs now: cells are never cleared.
bool current(const BlockWatch& block, const Access& access) {
  return access.tick > block.start_tick;
}
bool is_copy(const Access& access) {
  return access.actor >= first_barrier_actor && access.actor != peer_actor;
}

struct Touch {
  Lane& lane;
  std::uint32_t offset;  // of the first byte
  bool write;
  const void* site;
};

[[noreturn]] void accuse_of(const Touch& touch, const char* kind, const std::string& what,
                            const Access& other, const char* other_what) {
  accuse(touch.lane, {.kind = kind,
                      .what = what,
                      .address = touch.lane.shared + touch.offset,
                      .other_party = describe_party(touch.lane, other, other_what),
                      .site = touch.site});
}

void check_against_write(const Watch& watch, const Touch& touch, const Access& write) {
  const char* verb = touch.write ? "writes" : "reads";
  if (write.in_flight != 0) {
    accuse_of(touch, "copy-pending",
              std::string(verb) + " the destination of an asynchronous copy that is in flight",
              write, "copy");
  }
  if (watch.knows(touch.lane, write)) return;
  if (is_copy(write)) {
    accuse_of(touch, "copy-pending",
              std::string(verb) + " the destination of a copy without having waited for it", write,
              "copy");
  }
  accuse_of(touch, "shared-race",
            std::string(verb) + " shared memory that another lane wrote, with no barrier between",
            write, "write");
}

void check_against_read(const Watch& watch, const Touch& touch, const Access& read) {
  if (watch.knows(touch.lane, read)) return;
  accuse_of(touch, "shared-race",
            "writes shared memory that another lane read, with no barrier between", read, "read");
}

void access_cell(Watch& watch, BlockWatch& block, const Touch& touch, Cell& cell,
                 std::uint8_t bytes) {
  const Lane& lane = touch.lane;
  const auto actor = static_cast<std::uint16_t>(lane.thread);
  if (cell.barrier_since == block.start_tick) {
    accuse_of(touch, "barrier-touched", "accesses the bytes of a live transaction barrier",
              cell.write, "initialization");
  }
  if (cell.written_since != block.start_tick) {
    cell.written_since = block.start_tick;
    cell.written = 0;
  }
  if (current(block, cell.write) && (cell.write.bytes & bytes) != 0) {
    check_against_write(watch, touch, cell.write);
  }
  const Access mine{.tick = watch.tick,
                    .site = site_of(touch.site),
                    .actor = actor,
                    .bytes = bytes,
                    .cluster_phase = lane.cluster_arrivals};
  if (touch.write) {
    for (const Access* read : {&cell.read, &cell.other_read}) {
      if (current(block, *read) && (read->bytes & bytes) != 0) {
        check_against_read(watch, touch, *read);
      }
    }
    cell.written = static_cast<std::uint8_t>(cell.written | bytes);
    cell.write = mine;
    cell.read.tick = cell.other_read.tick = 0;
    return;
  }
  if ((cell.written & bytes) != bytes) {
    accuse(touch.lane, {.kind = "uninitialized-shared",
                        .what = "reads shared memory that nothing has written",
                        .address = lane.shared + touch.offset,
                        .site = touch.site});
  }
  if (current(block, cell.read) && cell.read.actor / 32 != actor / 32) {
    cell.other_read = cell.read;
  }
  cell.read = mine;
}

template <typename Use>
void for_each_cell(BlockWatch& block, std::uint32_t offset, std::uint32_t bytes, const Use& use) {
  while (bytes > 0) {
    const std::uint32_t low = offset % 4;
    const std::uint32_t count = std::min(4 - low, bytes);
    use(block.cells[offset / 4], static_cast<std::uint8_t>(((1U << count) - 1U) << low));
    offset += count;
    bytes -= count;
  }
}

bool view_knows(const Watch& watch, const ProxyFence& fence, std::int32_t thread,
                const Access& access) {
  if (access.actor == thread) return access.tick <= fence.tick;
  if (access.tick < fence.block_known) return true;
  if (access.actor / 32 == thread / 32 && access.tick < fence.warp_known) return true;
  return access.tick < watch.knowledge.at(fence.knowledge, access.actor);
}

// A fence counts that came after the access, seen from the lane that fenced, and before the copy,
// seen from the lane that issues it.
bool fence_by(const Watch& watch, const BlockWatch& block, const Lane& lane, std::int32_t thread,
              const Access& access) {
  for (const ProxyFence& fence : block.fences[static_cast<std::size_t>(thread)]) {
    if (fence.tick != 0 && view_knows(watch, fence, thread, access) &&
        watch.knows(lane, static_cast<std::uint16_t>(thread), fence.tick)) {
      return true;
    }
  }
  return false;
}
bool is_fenced(const Watch& watch, const BlockWatch& block, const Lane& lane,
               const Access& access) {
  if (access.actor == peer_actor || fence_by(watch, block, lane, lane.thread, access) ||
      fence_by(watch, block, lane, access.actor, access)) {
    return true;
  }
  for (std::int32_t thread = 0; thread < lane.block_threads; ++thread) {
    if (fence_by(watch, block, lane, thread, access)) return true;
  }
  return false;
}

void check_under_copy(const Watch& watch, const BlockWatch& block, const Touch& touch,
                      const Access& before, const char* what) {
  if (!current(block, before)) return;
  if (before.in_flight != 0 || (is_copy(before) && !watch.knows(touch.lane, before))) {
    accuse_of(touch, "copy-overlap", "copies over the destination of a copy in flight", before,
              "copy");
  }
  if (is_copy(before)) return;
  if (!watch.knows(touch.lane, before)) {
    accuse_of(touch, "shared-race",
              "copies asynchronously over shared memory that another lane accessed, with no "
              "barrier between",
              before, what);
  }
  if (!is_fenced(watch, block, touch.lane, before)) {
    accuse_of(touch, "missing-proxy-fence",
              "copies asynchronously over shared memory that was accessed in the ordinary way, "
              "with no proxy fence between",
              before, what);
  }
}

}  // namespace

void Watch::access_shared(Lane& lane, std::uint32_t offset, std::uint32_t bytes, bool write,
                          const void* site) {
  const Touch touch{lane, offset, write, site};
  if (offset + std::uint64_t{bytes} > static_cast<std::uint64_t>(cluster->launch->shared_bytes)) {
    accuse(lane, {.kind = "out-of-bounds",
                  .what = std::string(write ? "writes " : "reads ") + std::to_string(bytes) +
                          " bytes past the end of the block's shared memory",
                  .address = lane.shared + offset,
                  .site = site});
  }
  BlockWatch& block = of(*lane.block);
  for_each_cell(block, offset, bytes, [&](Cell& cell, std::uint8_t mask) {
    access_cell(*this, block, touch, cell, mask);
  });
}

void watch_peer_read(Watch& watch, Lane& lane, Block& peer, std::uint32_t offset) {
  if (&peer == lane.block) {
    watch.access_shared(lane, offset, 4, false, lane.site);
    return;
  }
  BlockWatch& block = watch.of(peer);
  Cell& cell = block.cells[offset / 4];
  const void* address = peer.shared + offset;
  if (cell.written_since != block.start_tick || cell.written != 0xF) {
    accuse(lane, {.kind = "uninitialized-shared",
                  .what = "reads a peer's shared memory that nothing has written",
                  .address = address});
  }
  if (current(block, cell.write) && !is_copy(cell.write) &&
      cell.write.cluster_phase >= lane.cluster_waits) {
    accuse(lane, {.kind = "shared-race",
                  .what = "reads a peer's shared memory with no cluster barrier after the write",
                  .address = address,
                  .other_party = "block " + std::to_string(peer.index) + " thread " +
                                 std::to_string(cell.write.actor) + " (write)"});
  }
  cell.other_read = {.tick = watch.tick,
                     .site = site_of(lane.site),
                     .actor = peer_actor,
                     .bytes = 0xF,
                     .cluster_phase = lane.cluster_arrivals};
}

void watch_bulk_issue(Watch& watch, Lane& lane, const BulkCopy& copy) {
  BlockWatch& block = watch.of(*lane.block);
  const auto offset = static_cast<std::uint32_t>(copy.target - lane.shared);
  const auto bytes = static_cast<std::uint32_t>(copy.pieces * 16);
  Touch touch{lane, offset, true, lane.site};
  const Access landing{.tick = watch.tick,
                       .site = site_of(lane.site),
                       .actor = static_cast<std::uint16_t>(first_barrier_actor + copy.barrier),
                       .bytes = 0xF,
                       .cluster_phase = lane.cluster_arrivals};
  for_each_cell(block, offset, bytes, [&](Cell& cell, std::uint8_t) {
    if (cell.barrier_since == block.start_tick) {
      accuse_of(touch, "barrier-touched", "copies over a live transaction barrier", cell.write,
                "initialization");
    }
    check_under_copy(watch, block, touch, cell.write, "write");
    check_under_copy(watch, block, touch, cell.read, "read");
    check_under_copy(watch, block, touch, cell.other_read, "read");
    cell.written_since = block.start_tick;
    cell.written = 0xF;
    cell.write = landing;
    cell.read.tick = cell.other_read.tick = 0;
    touch.offset += 4;
  });
  for (std::int64_t row = copy.valid_first_row; row < copy.valid_rows_end; ++row) {
    if (copy.valid_high <= copy.valid_low) break;
    const auto from = reinterpret_cast<std::uintptr_t>(copy.source) +
                      static_cast<std::uintptr_t>(row * copy.source_stride + copy.valid_low);
    watch.access_global(lane, from, static_cast<std::uint32_t>(copy.valid_high - copy.valid_low),
                        false, lane.site);
  }
  watch.sources.push_back(copy);
}

void watch_thread_copy_issue(Watch& watch, Lane& lane, const AsyncCopy& copy) {
  const auto offset = static_cast<std::uint32_t>(copy.target - lane.shared);
  watch.access_shared(lane, offset, 16, true, lane.site);
  for_each_cell(watch.of(*lane.block), offset, 16,
                [](Cell& cell, std::uint8_t) { cell.write.in_flight = 1; });
  if (copy.source_bytes > 0) {
    watch.access_global(lane, reinterpret_cast<std::uintptr_t>(copy.source),
                        static_cast<std::uint32_t>(copy.source_bytes), false, lane.site);
  }
}

void watch_thread_copy_done(Watch& watch, Lane& lane, const AsyncCopy& copy) {
  const auto offset = static_cast<std::uint32_t>(copy.target - lane.shared);
  for_each_cell(watch.of(*lane.block), offset, 16, [&](Cell& cell, std::uint8_t) {
    if (cell.write.actor != lane.thread || cell.write.in_flight == 0) return;
    cell.write.in_flight = 0;
    cell.write.tick = watch.tick;
  });
}

}  // namespace chainwalk::emulator
