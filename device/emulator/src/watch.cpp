// SPDX-License-Identifier: Apache-2.0
// What orders accesses to shared memory: barriers of warps, blocks and clusters, transaction
// barriers and proxy fences. Votes and shuffles order nothing.
#include "src/watch.h"

#include <bit>

#include "src/findings.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {

std::uint16_t actor_of(const Block& block, const BarrierObject& barrier) {
  return static_cast<std::uint16_t>(first_barrier_actor + (&barrier - block.barriers.data()));
}

void replace(Knowledge& knowledge, std::int32_t& held, std::int32_t by) {
  knowledge.drop(held);
  held = by;
}

// Every lane of the list ends up with the join of what all knew.
template <typename ForEachLane>
std::int32_t join_all(Knowledge& knowledge, const ForEachLane& for_each_lane) {
  std::int32_t joined = 0;
  for_each_lane([&](Lane& lane) {
    if (lane.knowledge != joined)
      replace(knowledge, joined, knowledge.join(joined, lane.knowledge));
  });
  return joined;
}
void give(Knowledge& knowledge, Lane& lane, std::int32_t joined) {
  if (lane.knowledge == joined) return;
  knowledge.keep(joined);
  replace(knowledge, lane.knowledge, joined);
}

// Barrier operations read the object as ordinary loads would; making and ending it writes it.
void use_barrier(Watch& watch, Lane& lane, const BarrierObject& barrier) {
  const BlockWatch& block = watch.of(*lane.block);
  const Access& made = block.cells[barrier.offset / 4].write;
  if (made.tick <= block.start_tick || watch.knows(lane, made)) return;
  accuse(lane, {.kind = "shared-race",
                .what = "uses a barrier whose initialization is not ordered before",
                .address = lane.shared + barrier.offset,
                .other_party = describe_party(lane, made, "initialization")});
}

}  // namespace

void Watch::start(Cluster& the_cluster, GlobalWatch& the_global) {
  cluster = &the_cluster;
  global = &the_global;
  constexpr std::uint32_t last_tick = 3U << 30U;
  if (tick > last_tick) {  // stale cells must stay stale
    tick = 0;
    blocks.clear();
  }
  ++tick;
  knowledge.reset();
  sources.clear();
  accesses = 0;
  blocks.resize(the_cluster.blocks.size());
  warp_known.assign(the_cluster.warps.size(), 0);
  const auto cells = static_cast<std::size_t>((the_cluster.launch->shared_bytes + 3) / 4);
  for (BlockWatch& block : blocks) {
    if (block.cells.size() < cells) block.cells.resize(cells);
    block.start_tick = tick;
    block.known = 0;
    block.fences.assign(static_cast<std::size_t>(the_cluster.launch->block_threads), {});
  }
  ++tick;
}

bool Watch::knows(const Lane& lane, std::uint16_t actor, std::uint32_t access_tick) const {
  if (actor < first_barrier_actor) {
    if (actor == lane.thread) return true;
    if (access_tick < blocks[static_cast<std::size_t>(lane.block->rank)].known) return true;
    if (actor / 32 == lane.thread / 32 &&
        access_tick < warp_known[static_cast<std::size_t>(lane.warp->index)]) {
      return true;
    }
  }
  return access_tick < knowledge.at(lane.knowledge, actor);
}

bool Watch::knows(const Lane& lane, const Access& access) const {
  if (access.actor < first_barrier_actor || access.actor == peer_actor) {
    if (access.cluster_phase < lane.cluster_waits) return true;
    if (access.actor == peer_actor) return false;
  }
  return knows(lane, access.actor, access.tick);
}

void watch_warp_barrier(Watch& watch, Warp& warp, std::uint32_t lanes) {
  const auto for_each = [&](const auto& use) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
      use(lane_of_warp(*watch.cluster, warp, std::countr_zero(left)));
    }
  };
  std::int32_t joined = join_all(watch.knowledge, for_each);
  const std::uint32_t now = ++watch.tick;
  if ((lanes | ~warp.alive) == ~0U) {
    watch.warp_known[static_cast<std::size_t>(warp.index)] = now;
  } else {
    replace(watch.knowledge, joined, watch.knowledge.copy_of(joined));
    for_each([&](const Lane& lane) {
      watch.knowledge.raise(joined, static_cast<std::size_t>(lane.thread), now);
    });
  }
  for_each([&](Lane& lane) { give(watch.knowledge, lane, joined); });
  watch.knowledge.drop(joined);
}

void watch_block_barrier(Watch& watch, Block& block) {
  Cluster& cluster = *watch.cluster;
  const auto for_each = [&](const auto& use) {
    for (std::int32_t index = 0; index < block.warps; ++index) {
      Warp& warp = cluster.warps[static_cast<std::size_t>(block.first_warp + index)];
      for (std::uint32_t left = warp.alive; left != 0; left &= left - 1) {
        use(lane_of_warp(cluster, warp, std::countr_zero(left)));
      }
    }
  };
  const std::int32_t joined = join_all(watch.knowledge, for_each);
  for_each([&](Lane& lane) { give(watch.knowledge, lane, joined); });
  watch.knowledge.drop(joined);
  watch.of(block).known = ++watch.tick;
}

void watch_barrier_init(Watch& watch, Lane& lane, BarrierObject& barrier, bool live) {
  BlockWatch& block = watch.of(*lane.block);
  for (std::uint32_t cell = barrier.offset / 4; cell < barrier.offset / 4 + 2; ++cell) {
    block.cells[cell].barrier_since = 0;
  }
  watch.access_shared(lane, barrier.offset, 8, true, lane.site);
  for (std::uint32_t cell = barrier.offset / 4; cell < barrier.offset / 4 + 2; ++cell) {
    block.cells[cell].barrier_since = live ? block.start_tick : 0;
  }
  replace(watch.knowledge, barrier.knowledge, 0);
  replace(watch.knowledge, barrier.next_knowledge, 0);
}

void watch_barrier_arrive(Watch& watch, Lane& lane, BarrierObject& barrier) {
  use_barrier(watch, lane, barrier);
  Knowledge& knowledge = watch.knowledge;
  const std::int32_t mine = knowledge.copy_of(lane.knowledge);
  const auto first_lane = static_cast<std::size_t>(lane.thread / 32 * 32);
  const std::uint32_t warp_known = watch.warp_known[static_cast<std::size_t>(lane.warp->index)];
  for (std::size_t other = 0; other < 32; ++other) {
    knowledge.raise(mine, first_lane + other, warp_known);
  }
  knowledge.raise(mine, static_cast<std::size_t>(lane.thread), ++watch.tick);
  replace(knowledge, barrier.next_knowledge, knowledge.join(barrier.next_knowledge, mine));
  knowledge.drop(mine);
}

void watch_barrier_phase(Watch& watch, Block& block, BarrierObject& barrier) {
  Knowledge& knowledge = watch.knowledge;
  const std::int32_t learnt = knowledge.join(barrier.knowledge, barrier.next_knowledge);
  replace(knowledge, barrier.knowledge, knowledge.copy_of(learnt));
  knowledge.drop(learnt);
  knowledge.raise(barrier.knowledge, actor_of(block, barrier), ++watch.tick);
  replace(knowledge, barrier.next_knowledge, 0);
  const auto index = static_cast<std::int32_t>(&barrier - block.barriers.data());
  std::erase_if(watch.sources, [&](const BulkCopy& copy) {
    return copy.block == &block && copy.barrier == index;
  });
}

void watch_barrier_waited(Watch& watch, Lane& lane, BarrierObject& barrier) {
  use_barrier(watch, lane, barrier);
  replace(watch.knowledge, lane.knowledge, watch.knowledge.join(lane.knowledge, barrier.knowledge));
}

void watch_proxy_fence(Watch& watch, Lane& lane) {
  BlockWatch& block = watch.of(*lane.block);
  auto& fences = block.fences[static_cast<std::size_t>(lane.thread)];
  for (std::size_t place = fences.size() - 1; place > 0; --place) {
    std::swap(fences[place], fences[place - 1]);
  }
  watch.knowledge.drop(fences[0].knowledge);
  watch.knowledge.keep(lane.knowledge);
  fences[0] = {.tick = watch.tick++,
               .block_known = block.known,
               .warp_known = watch.warp_known[static_cast<std::size_t>(lane.warp->index)],
               .knowledge = lane.knowledge};
}

void watch_start(Watch& watch, Cluster& cluster) {
  watch.start(cluster, *cluster.launch->watch);
  for (std::int32_t index = 0; index < cluster.lanes; ++index) {
    draw_preemption(cluster, *cluster.lane(static_cast<std::size_t>(index)));
  }
}

}  // namespace chainwalk::emulator
