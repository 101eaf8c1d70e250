// SPDX-License-Identifier: Apache-2.0
// Barriers of blocks and clusters, reads of a peer's shared memory, and dependent launch.
#include "machine/operations.h"
#include "src/cluster.h"
#include "src/findings.h"
#include "src/watch.h"

namespace chainwalk::emulator {
namespace {

// Releases every lane of the block's warps that stands at its barrier.
void release_block(Cluster& cluster, Block& block) {
  if (cluster.watch != nullptr) watch_block_barrier(*cluster.watch, block);
  block.at_barrier = 0;
  ++cluster.progress;
  for (std::int32_t index = 0; index < block.warps; ++index) {
    Warp& warp = cluster.warps[static_cast<std::size_t>(block.first_warp + index)];
    for (int lane = 0; lane < 32; ++lane) {
      if (((warp.at_block_barrier >> static_cast<unsigned>(lane)) & 1U) != 0) {
        lane_of_warp(cluster, warp, lane).waits_on = static_cast<std::uint32_t>(Wait::nothing);
      }
    }
    make_ready(cluster, warp, warp.at_block_barrier);
    warp.at_block_barrier = 0;
  }
}

void release_cluster(Cluster& cluster) {
  cluster.at_cluster_barrier = 0;
  ++cluster.cluster_phase;
  ++cluster.progress;
  for (std::int32_t index = 0; index < cluster.lanes; ++index) {
    Lane& lane = *cluster.lane(static_cast<std::size_t>(index));
    if (static_cast<Wait>(lane.waits_on) != Wait::cluster) continue;
    lane.waits_on = static_cast<std::uint32_t>(Wait::nothing);
    make_ready(cluster, *lane.warp, lane_bit(lane));
  }
}

void need_async_image(Lane& lane, const char* operation) {
  if (cluster_of(lane).launch->limits.async_image) return;
  accuse(lane, {.kind = "unsupported-operation",
                .what = std::string("uses ") + operation + ", which this device class lacks"});
}

}  // namespace

void check_block_exit(Lane& last) {
  check_barriers_at_exit(last);
  const Block& block = *last.block;
  if (block.read_by_peers_until <= block.greatest_cluster_waits) return;
  accuse(last, {.kind = "exit-while-peers-read",
                .what = "is the last of its block to exit, after " +
                        std::to_string(block.greatest_cluster_waits) +
                        " cluster barriers, while a peer's read of its shared memory is ordered "
                        "by barrier " +
                        std::to_string(block.read_by_peers_until) + " only"});
}

void recheck_block_barrier(Cluster& cluster, Block& block) {
  if (block.at_barrier > 0 && block.at_barrier == block.alive) release_block(cluster, block);
}
void recheck_cluster_barrier(Cluster& cluster) {
  if (cluster.at_cluster_barrier > 0 && cluster.at_cluster_barrier == cluster.alive) {
    release_cluster(cluster);
  }
}

void sync_block() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  preemption_point(lane);
  Block& block = *lane.block;
  ++block.at_barrier;
  lane.warp->at_block_barrier |= lane_bit(lane);
  if (block.at_barrier == block.alive) {
    release_block(*block.cluster, block);
    preemption_point(lane);
    return;
  }
  lane.warp->ready &= ~lane_bit(lane);
  lane.waits_on = static_cast<std::uint32_t>(Wait::block);
  suspend(lane);
}

void trap() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  accuse(lane, {.kind = "trap", .what = "ends the launch by a trap"});
}

int cluster_rank() { return this_lane().block->rank; }
int cluster_blocks() { return cluster_of(this_lane()).launch->cluster_blocks; }

void cluster_arrive() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  need_async_image(lane, "a cluster barrier");
  preemption_point(lane);
  Cluster& cluster = cluster_of(lane);
  if (lane.cluster_arrivals != lane.cluster_waits) {
    accuse(lane, {.kind = "cluster-barrier-misuse",
                  .what = "arrives twice at the cluster barrier without a wait between"});
  }
  ++lane.cluster_arrivals;
  ++cluster.at_cluster_barrier;
  recheck_cluster_barrier(cluster);
}

void cluster_wait() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  need_async_image(lane, "a cluster barrier");
  preemption_point(lane);
  if (lane.cluster_arrivals == lane.cluster_waits) {
    accuse(lane, {.kind = "cluster-barrier-misuse",
                  .what = "waits at the cluster barrier without having arrived"});
  }
  Cluster& cluster = cluster_of(lane);
  if (cluster.cluster_phase < lane.cluster_arrivals) {
    lane.warp->ready &= ~lane_bit(lane);
    lane.waits_on = static_cast<std::uint32_t>(Wait::cluster);
    suspend(lane);
  }
  ++lane.cluster_waits;
  Block& block = *lane.block;
  if (lane.cluster_waits > block.greatest_cluster_waits) {
    block.greatest_cluster_waits = lane.cluster_waits;
  }
}

float load_peer(const float* shared, int rank) {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  need_async_image(lane, "a peer's shared memory");
  preemption_point(lane);
  Cluster& cluster = cluster_of(lane);
  const std::uint32_t offset = shared_address(shared);
  if (rank < 0 || rank >= cluster.launch->cluster_blocks) {
    accuse(lane, {.kind = "peer-rank",
                  .what = "reads the shared memory of block " + std::to_string(rank) +
                          " of a cluster of " + std::to_string(cluster.launch->cluster_blocks)});
  }
  Block& peer = cluster.blocks[static_cast<std::size_t>(rank)];
  const std::string name = "block " + std::to_string(peer.index);
  if (offset % 4 != 0 || offset + 4 > static_cast<std::uint64_t>(cluster.launch->shared_bytes)) {
    accuse(lane, {.kind = "out-of-bounds", .what = "reads 4 bytes of a peer", .address = shared});
  }
  if (&peer != lane.block) {
    if (lane.cluster_waits == 0) {
      accuse(lane, {.kind = "peer-not-started",
                    .what = "reads a peer's shared memory before any cluster barrier",
                    .address = shared,
                    .other_party = name});
    }
    if (peer.alive == 0) {
      accuse(lane, {.kind = "peer-exited",
                    .what = "reads the shared memory of a peer that has exited",
                    .address = shared,
                    .other_party = name});
    }
    if (lane.cluster_arrivals + 1 > peer.read_by_peers_until) {
      peer.read_by_peers_until = lane.cluster_arrivals + 1;
    }
  }
  if (cluster.watch != nullptr) watch_peer_read(*cluster.watch, lane, peer, offset);
  return *reinterpret_cast<const float*>(peer.shared + offset);
}

void dependent_wait() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  need_async_image(lane, "dependent launch");
  preemption_point(lane);
  if (cluster_of(lane).until_wait) {
    lane.warp->ready &= ~lane_bit(lane);
    lane.waits_on = static_cast<std::uint32_t>(Wait::dependent);
    suspend(lane);
  }
  lane.dependent_waited = true;
}

void dependent_trigger() {
  Lane& lane = this_lane();
  CW_ENTER(lane);
  need_async_image(lane, "dependent launch");
  preemption_point(lane);
}

}  // namespace chainwalk::emulator
