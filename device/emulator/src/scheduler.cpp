// SPDX-License-Identifier: Apache-2.0
// Who runs next: round robin, random and priority-change schedules, and what happens when nobody
// can run (copies land, polling waits time out, a deadlock is reported).
#include <bit>

#include "src/cluster.h"
#include "src/findings.h"
#include "src/watch.h"

namespace chainwalk::emulator {
namespace {

constexpr std::uint32_t max_idle_rounds = 4;

int next_bit(std::uint32_t bits, int after) {
  const std::uint32_t higher = bits & ~((2U << static_cast<unsigned>(after)) - 1U);
  return std::countr_zero(higher != 0 ? higher : bits);
}

// Warps with ready lanes, the `skip`-th one cyclically from warp `first` on; -1 when none.
int ready_warp(Cluster& cluster, int first, std::uint32_t skip) {
  const int words = (cluster.warp_count + 63) / 64;
  for (int turn = 0; turn <= words; ++turn) {
    const int word = (first / 64 + turn) % words;
    std::uint64_t bits = cluster.ready_warps[static_cast<std::size_t>(word)];
    const auto split = static_cast<unsigned>(first % 64);
    if (turn == 0) bits &= ~std::uint64_t{0} << split;
    if (turn == words) bits &= ~(~std::uint64_t{0} << split);
    while (bits != 0) {
      const int warp = word * 64 + std::countr_zero(bits);
      bits &= bits - 1;
      if (cluster.warps[static_cast<std::size_t>(warp)].ready == 0) {
        cluster.ready_warps[static_cast<std::size_t>(word)] &=
            ~(std::uint64_t{1} << static_cast<unsigned>(warp % 64));
      } else if (skip-- == 0) {
        return warp;
      }
    }
  }
  return -1;
}

std::uint32_t count_ready_warps(const Cluster& cluster) {
  std::uint32_t count = 0;
  for (const Warp& warp : cluster.warps) count += warp.ready != 0 ? 1U : 0U;
  return count;
}

Lane* lane_of(Cluster& cluster, const Warp& warp, int lane) {
  return cluster.lane(static_cast<std::size_t>(warp.first_lane + lane));
}

// The round-robin choice: the next ready lane of the same warp, else the first of the next warp.
Lane* pick_in_turn(Cluster& cluster, const Lane& from) {
  Warp& warp = *from.warp;
  if (warp.ready != 0) return lane_of(cluster, warp, next_bit(warp.ready, lane_in_warp(from)));
  const int found = ready_warp(cluster, (warp.index + 1) % cluster.warp_count, 0);
  if (found < 0) return nullptr;
  const Warp& other = cluster.warps[static_cast<std::size_t>(found)];
  return lane_of(cluster, other, std::countr_zero(other.ready));
}

int nth_lane(std::uint32_t ready, int first, std::uint32_t skip) {
  int lane = next_bit(ready, first);
  while (skip-- > 0) lane = next_bit(ready, lane);
  return lane;
}

Lane* pick_at_random(Cluster& cluster, const Lane& from) {
  const std::uint32_t count = count_ready_warps(cluster);
  if (count == 0) return nullptr;
  const std::uint32_t skip = cluster.choices.choose(count);
  const int chosen = ready_warp(cluster, from.warp->index, skip);
  const Warp& warp = cluster.warps[static_cast<std::size_t>(chosen)];
  const auto lanes = static_cast<std::uint32_t>(std::popcount(warp.ready));
  const std::uint32_t lane_skip = cluster.choices.choose(lanes);
  return lane_of(cluster, warp, nth_lane(warp.ready, lane_in_warp(from), lane_skip));
}

// The ready warp of the highest priority; what was picked is noted as pick_at_random would choose.
Lane* pick_by_priority(Cluster& cluster, const Lane& from) {
  if (!cluster.change_points.empty() && cluster.picks >= cluster.change_points.back()) {
    cluster.change_points.pop_back();
    from.warp->priority = cluster.next_low_priority--;
  }
  const std::uint32_t count = count_ready_warps(cluster);
  if (count == 0) return nullptr;
  const Warp* best = nullptr;
  std::uint32_t best_skip = 0;
  for (std::uint32_t skip = 0; skip < count; ++skip) {
    const auto found = static_cast<std::size_t>(ready_warp(cluster, from.warp->index, skip));
    if (best == nullptr || cluster.warps[found].priority > best->priority) {
      best = &cluster.warps[found];
      best_skip = skip;
    }
  }
  if (count > 1) cluster.choices.note(best_skip);
  const auto lanes = static_cast<std::uint32_t>(std::popcount(best->ready));
  const std::uint32_t lane_skip = cluster.choices.choose(lanes);
  return lane_of(cluster, *best, nth_lane(best->ready, lane_in_warp(from), lane_skip));
}

Lane* pick_ready(Cluster& cluster, const Lane& from) {
  if (!cluster.choices.active()) return pick_in_turn(cluster, from);
  ++cluster.picks;
  land_by_chance(cluster);
  return cluster.by_priority ? pick_by_priority(cluster, from) : pick_at_random(cluster, from);
}

bool time_out_polls(Cluster& cluster) {
  if (cluster.progress != cluster.progress_at_timeout) {
    cluster.progress_at_timeout = cluster.progress;
    cluster.idle_rounds = 0;
  }
  if (++cluster.idle_rounds > max_idle_rounds) return false;
  bool woken = false;
  for (Block& block : cluster.blocks) {
    for (BarrierObject& barrier : block.barriers) {
      woken = wake_waiters(cluster, block, barrier, true) || woken;
    }
  }
  return woken;
}

bool all_at_dependent_wait(const Cluster& cluster) {
  for (std::int32_t lane = 0; lane < cluster.lanes; ++lane) {
    const auto wait = static_cast<Wait>(cluster.lane(static_cast<std::size_t>(lane))->waits_on);
    if (wait != Wait::dependent && wait != Wait::exited) return false;
  }
  return true;
}

const char* waiting_for(const Lane& lane) {
  switch (static_cast<Wait>(lane.waits_on)) {
    case Wait::nothing: return "can run";
    case Wait::warp: return "waits for the lanes of its warp";
    case Wait::block: return "waits at the block barrier";
    case Wait::barrier: return "waits for a transaction barrier";
    case Wait::cluster: return "waits at the cluster barrier";
    case Wait::dependent: return "waits for the launches it depends on";
    case Wait::exited: return "has exited";
  }
  return "?";
}

std::string describe_barrier(const Lane& lane) {
  const BarrierObject& barrier = lane.block->barriers[static_cast<std::size_t>(lane.wait_barrier)];
  return " at shared+" + std::to_string(barrier.offset) + " (parity " +
         std::to_string(lane.wait_parity) + ", phase " + std::to_string(barrier.phase) + ", " +
         std::to_string(barrier.pending) + " arrivals and " + std::to_string(barrier.transactions) +
         " bytes pending)";
}

std::string place_of(const Lane& lane) {
  std::string text = waiting_for(lane);
  if (static_cast<Wait>(lane.waits_on) == Wait::barrier) text += describe_barrier(lane);
  const std::string site = describe_site(lane.site);
  if (!site.empty() && static_cast<Wait>(lane.waits_on) != Wait::exited) text += " at " + site;
  return text;
}

// Lanes of one warp that stand at one place share a line.
std::string places_of_all(const Cluster& cluster) {
  std::string text;
  for (const Warp& warp : cluster.warps) {
    int first = 0;
    std::string place;
    const auto flush = [&](int end) {
      if (end == first) return;
      const Lane& lane = *cluster.lane(static_cast<std::size_t>(warp.first_lane + first));
      text += "\n  block " + std::to_string(lane.block_index) + " warp " +
              std::to_string(lane.thread / 32) + " lanes " + std::to_string(first) + ".." +
              std::to_string(end - 1) + ": " + place;
      first = end;
    };
    for (int index = 0; index < 32; ++index) {
      const std::string here =
          place_of(*cluster.lane(static_cast<std::size_t>(warp.first_lane + index)));
      if (here != place) flush(index);
      place = here;
    }
    flush(32);
  }
  return text;
}

[[noreturn]] void report_deadlock(Lane& lane) {
  const Cluster& cluster = cluster_of(lane);
  const Lane* first = nullptr;
  for (std::int32_t index = 0; index < cluster.lanes && first == nullptr; ++index) {
    const Lane* candidate = cluster.lane(static_cast<std::size_t>(index));
    const auto wait = static_cast<Wait>(candidate->waits_on);
    if (wait != Wait::exited) first = candidate;
  }
  Cluster& running = cluster_of(lane);
  running.finding = make_finding(
      first != nullptr ? *first : lane,
      {.kind = "deadlock", .what = "no lane can ever run again:" + places_of_all(cluster)});
  throw Abandoned();
}

// A lane to run, or null when the cluster is to pause at its dependent-launch wait.
Lane* pick(Lane& from) {
  Cluster& cluster = cluster_of(from);
  for (;;) {
    if (Lane* lane = pick_ready(cluster, from)) return lane;
    if (land_something(cluster)) continue;
    if (cluster.until_wait && all_at_dependent_wait(cluster)) return nullptr;
    if (time_out_polls(cluster)) continue;
    report_deadlock(from);
  }
}

}  // namespace

void make_ready(Cluster& cluster, Warp& warp, std::uint32_t lanes) {
  warp.ready |= lanes;
  const auto index = static_cast<unsigned>(warp.index);
  cluster.ready_warps[index / 64] |= std::uint64_t{1} << (index % 64);
}

void suspend(Lane& lane) {
  // Most switches by far: round robin to the next ready lane of the same warp.
  if (lane.warp->ready != 0 && !cluster_of(lane).choices.active()) {
    const int here = lane_in_warp(lane);
    const int there = next_bit(lane.warp->ready, here);
    if (there == here) return;
    switch_lanes(lane, neighbour(lane, there - here));
    return;
  }
  Lane* next = pick(lane);
  if (next == &lane) return;
  if (next == nullptr) {
    leave_fiber(lane, cluster_of(lane).host, false);
  } else {
    switch_lanes(lane, *next);
  }
}

void preempt(Lane& lane) {
  Cluster& cluster = cluster_of(lane);
  if (cluster.choices.coin(cluster.preemption_odds)) suspend(lane);
}

void exit_lane(Lane& lane) {
  Cluster& cluster = cluster_of(lane);
  Block& block = *lane.block;
  Warp& warp = *lane.warp;
  check_copies_at_exit(lane);
  if (block.alive == 1) check_block_exit(lane);
  lane.waits_on = static_cast<std::uint32_t>(Wait::exited);
  warp.alive &= ~lane_bit(lane);
  warp.ready &= ~lane_bit(lane);
  --block.alive;
  --cluster.alive;
  ++cluster.progress;
  recheck_warp_operations(cluster, warp);
  recheck_block_barrier(cluster, block);
  recheck_cluster_barrier(cluster);
  if (cluster.alive == 0) {
    stop_cluster(lane);
  } else if (Lane* next = pick(lane)) {
    finish_into(lane, *next);
  } else {
    leave_fiber(lane, cluster.host, true);
  }
}

void stop_cluster(Lane& lane) { leave_fiber(lane, cluster_of(lane).host, true); }

}  // namespace chainwalk::emulator
