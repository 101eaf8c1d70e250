// SPDX-License-Identifier: Apache-2.0
// Setting a cluster up, and running it to its end or to its dependent-launch wait.
#include "src/cluster.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "src/findings.h"
#include "src/watch.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {

constexpr std::size_t shared_granule = 4096;
constexpr std::uint32_t first_priority = 1U << 16U;  // above all that changes hand out

void fiber_main(Lane& lane) {
  Cluster& cluster = cluster_of(lane);
  fiber_entered(cluster.entered ? nullptr : &cluster.host);
  cluster.entered = true;
  try {
    cluster.launch->entry(*cluster.launch->parameters);
    exit_lane(lane);
  } catch (const Abandoned&) {
    // The finding is kept; what the fibers held lives in the cluster.
  }
  stop_cluster(lane);
}

void reserve_shared(Cluster& cluster) {
  const auto bytes = static_cast<std::size_t>(cluster.launch->shared_bytes);
  // A page that is never touched between blocks, as their addresses would otherwise adjoin.
  cluster.shared_stride = (bytes / shared_granule + 2) * shared_granule;
  const std::size_t needed = cluster.shared_stride * cluster.blocks.size();
  if (needed > cluster.shared_mapping_bytes) {
    if (cluster.shared_mapping != nullptr) {
      ::munmap(cluster.shared_mapping, cluster.shared_mapping_bytes);
      cluster.shared_mapping = nullptr;
      cluster.shared_mapping_bytes = 0;
    }
    void* mapping = ::mmap(nullptr, needed, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw std::bad_alloc();
    cluster.shared_mapping = static_cast<unsigned char*>(mapping);
    cluster.shared_mapping_bytes = needed;
  }
}

void start_block(Cluster& cluster, std::int32_t rank) {
  const Launch& launch = *cluster.launch;
  Block& block = cluster.blocks[static_cast<std::size_t>(rank)];
  block.barriers.clear();
  block.cluster = &cluster;
  block.rank = rank;
  block.index = cluster.index * launch.cluster_blocks + rank;
  block.warps = launch.block_threads / 32;
  block.first_warp = rank * block.warps;
  block.alive = launch.block_threads;
  block.at_barrier = 0;
  block.read_by_peers_until = block.greatest_cluster_waits = 0;
  block.shared = cluster.shared_mapping + static_cast<std::size_t>(rank) * cluster.shared_stride;
  std::memset(block.shared, shared_poison, static_cast<std::size_t>(launch.shared_bytes));
}

void start_lane(Cluster& cluster, std::int32_t index) {
  const Launch& launch = *cluster.launch;
  Lane& lane = *cluster.lane(static_cast<std::size_t>(index));
  Warp& warp = cluster.warps[static_cast<std::size_t>(index / 32)];
  Block& block = cluster.blocks[static_cast<std::size_t>(index / launch.block_threads)];
  lane = Lane{.warp = &warp,
              .block = &block,
              .shared = block.shared,
              .block_index = block.index,
              .thread = index % launch.block_threads,
              .block_threads = launch.block_threads,
              .copies = &cluster.thread_copies[static_cast<std::size_t>(index)]};
  PendingCopies& copies = *lane.copies;
  copies.copies.clear();
  copies.open_group = copies.finished_groups = copies.last_group_with_copies = 0;
  prepare_fiber(lane, &fiber_main);
}

void start_schedule(Cluster& cluster) {
  const Launch& launch = *cluster.launch;
  const ChoiceScope scope{launch.step, cluster.index};
  const std::vector<std::uint32_t>* replayed = nullptr;
  if (launch.replayed != nullptr) {
    const auto found = launch.replayed->find(scope);
    if (found != launch.replayed->end()) replayed = &found->second;
  }
  cluster.recorded.clear();
  cluster.choices.start(launch.schedule, scope, replayed,
                        launch.record ? &cluster.recorded : nullptr);
  cluster.preemption_odds = 2U << (2 * cluster.choices.draw(4));
  cluster.by_priority = launch.schedule.kind == ScheduleKind::priority_change;
  cluster.change_points.clear();
  if (!cluster.by_priority) return;
  for (Warp& warp : cluster.warps) warp.priority = first_priority + cluster.choices.draw(1U << 30U);
  const std::uint32_t reach = 16U << (2 * cluster.choices.draw(7));
  for (int point = 0; point < launch.schedule.change_points; ++point) {
    cluster.change_points.push_back(cluster.choices.draw(reach));
  }
  std::sort(cluster.change_points.begin(), cluster.change_points.end(), std::greater<>());
  cluster.next_low_priority = first_priority - 1;
}

}  // namespace

Cluster::Cluster() = default;
Cluster::~Cluster() {
  if (shared_mapping != nullptr) ::munmap(shared_mapping, shared_mapping_bytes);
}

void Cluster::start(const Launch& the_launch, std::int64_t the_index) {
  launch = &the_launch;
  index = the_index;
  lanes = alive = the_launch.block_threads * the_launch.cluster_blocks;
  warp_count = lanes / 32;
  entered = false;
  picks = progress = progress_at_timeout = 0;
  idle_rounds = 0;
  at_cluster_barrier = cluster_phase = 0;
  unlanded_thread_copies = 0;
  copies.clear();
  finding.reset();
  stacks.reserve(static_cast<std::size_t>(lanes));
  blocks.resize(static_cast<std::size_t>(the_launch.cluster_blocks));
  reserve_shared(*this);
  warps.assign(static_cast<std::size_t>(warp_count), Warp());
  thread_copies.resize(static_cast<std::size_t>(lanes));
  for (std::int32_t rank = 0; rank < the_launch.cluster_blocks; ++rank) start_block(*this, rank);
  ready_warps.fill(0);
  for (std::int32_t warp = 0; warp < warp_count; ++warp) {
    Warp& state = warps[static_cast<std::size_t>(warp)];
    state.index = warp;
    state.first_lane = warp * 32;
    state.alive = ~0U;
    make_ready(*this, state, ~0U);
  }
  for (std::int32_t lane = 0; lane < lanes; ++lane) start_lane(*this, lane);
  start_schedule(*this);
  watch = nullptr;
  if (launch->checked) {
    if (!own_watch) own_watch = std::make_unique<Watch>();
    watch = own_watch.get();
    watch_start(*watch, *this);
  }
}

bool Cluster::run(bool pause_at_wait) {
  if (until_wait && !pause_at_wait) {
    for (Warp& warp : warps) {
      for (int lane = 0; lane < 32; ++lane) {
        Lane& waiting = lane_of_warp(*this, warp, lane);
        if (static_cast<Wait>(waiting.waits_on) != Wait::dependent) continue;
        waiting.waits_on = static_cast<std::uint32_t>(Wait::nothing);
        make_ready(*this, warp, lane_bit(waiting));
      }
    }
  }
  until_wait = pause_at_wait;
  for (std::int32_t first = 0; first < lanes; ++first) {
    Lane& candidate = *lane(static_cast<std::size_t>(first));
    if ((candidate.warp->ready & lane_bit(candidate)) == 0) continue;
    enter_fiber(host, candidate);
    break;
  }
  const bool over = finding.has_value() || alive == 0;
  if (over) until_wait = false;
  return over;
}

}  // namespace chainwalk::emulator
