// SPDX-License-Identifier: Apache-2.0
// One cluster of blocks while it runs: its fibers, its schedule and its asynchronous copies, all on
// one OS thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "chainwalk/emulator/emulator.h"
#include "src/launch.h"
#include "src/state.h"

namespace chainwalk::emulator {

inline constexpr int shared_poison = 0xFF;
inline constexpr std::uint32_t spurious_odds = 16;  // one try_wait in as many fails for nothing

// The whole of one cluster's state. Used again for cluster after cluster of a worker.
struct Cluster {
  Cluster();
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // Sets up cluster `index` of a launch, every lane ready. Throws std::bad_alloc.
  void start(const Launch& launch, std::int64_t index);
  // Runs until every lane has exited, a finding ended the run, or, with `until_wait`, until every
  // lane stands at its dependent-launch wait. Returns true when the cluster is over.
  bool run(bool until_wait);

  Lane* lane(std::size_t number) const { return stacks.lane(number); }

  const Launch* launch = nullptr;
  std::int64_t index = 0;  // of the cluster in the grid
  HostContext host;
  bool entered = false;  // a fiber has told the host's stack bounds
  bool until_wait = false;
  std::int32_t lanes = 0;
  std::int32_t alive = 0;
  std::int32_t warp_count = 0;
  std::vector<Warp> warps;
  std::vector<Block> blocks;
  std::array<std::uint64_t, 8> ready_warps{};  // bit per warp, may be set for one with none ready
  ChoiceStream choices;
  std::vector<std::uint32_t> recorded;
  std::uint32_t preemption_odds = 2;
  bool by_priority = false;
  std::vector<std::uint64_t> change_points;  // picks after which a priority drops, descending
  std::uint32_t next_low_priority = 0;
  std::uint64_t picks = 0;
  std::uint64_t progress = 0;  // counts everything that may let a waiting lane go on
  std::uint64_t progress_at_timeout = 0;
  std::uint32_t idle_rounds = 0;
  std::int32_t at_cluster_barrier = 0;
  std::int32_t cluster_phase = 0;
  std::vector<BulkCopy> copies;  // not wholly landed
  std::vector<PendingCopies> thread_copies;
  std::int32_t unlanded_thread_copies = 0;
  std::optional<Finding> finding;
  Watch* watch = nullptr;  // own_watch in a checked launch, else null
  std::unique_ptr<Watch> own_watch;
  Stacks stacks;
  unsigned char* shared_mapping = nullptr;
  std::size_t shared_mapping_bytes = 0;
  std::size_t shared_stride = 0;  // bytes between the shared memories of two blocks
};

// scheduler.cpp
void make_ready(Cluster& cluster, Warp& warp, std::uint32_t lanes);
void suspend(Lane& lane);  // the lane is no longer ready: runs others until it is again
void preempt(Lane& lane);  // by chance
void exit_lane(Lane& lane);
void stop_cluster(Lane& lane);  // leaves to the host for good

// copies.cpp
bool land_something(Cluster& cluster);  // false: nothing was in flight
void land_by_chance(Cluster& cluster);
void land_thread_copies(Lane& lane, std::uint32_t up_to_group);
void check_copies_at_exit(Lane& lane);

// mbarrier.cpp
BarrierObject& find_barrier(Lane& lane, const std::uint64_t* barrier, const char* operation);
void complete_transactions(Cluster& cluster, Block& block, std::int32_t barrier,
                           std::int64_t bytes);
// No arrival is pending, and fewer bytes than none: accuses the lane.
void check_bytes(Lane& lane, const BarrierObject& barrier, const void* site);
bool wake_waiters(Cluster& cluster, Block& block, BarrierObject& barrier, bool timeout);
void check_barriers_at_exit(Lane& lane);

// warp.cpp, block.cpp
void check_block_exit(Lane& last);
void recheck_warp_operations(Cluster& cluster, Warp& warp);
void recheck_block_barrier(Cluster& cluster, Block& block);
void recheck_cluster_barrier(Cluster& cluster);

inline Cluster& cluster_of(const Lane& lane) { return *lane.block->cluster; }
inline int lane_in_warp(const Lane& lane) { return lane.thread & 31; }
inline std::uint32_t lane_bit(const Lane& lane) {
  return 1U << static_cast<unsigned>(lane_in_warp(lane));
}

// Where others may run instead; nowhere under round robin.
inline void preemption_point(Lane& lane) {
  if (cluster_of(lane).choices.active()) preempt(lane);
}

// Where a lane stands, for a primitive that it enters.
#define CW_ENTER(lane) (lane).site = __builtin_return_address(0)

}  // namespace chainwalk::emulator
