// SPDX-License-Identifier: Apache-2.0
// What the memory checker is told of: every operation that orders accesses, and every asynchronous
// copy. Clusters of plain runs have no watch, and call none of these.
#pragma once

#include <cstdint>

#include "src/cluster.h"

namespace chainwalk::emulator {

void watch_warp_barrier(Watch& watch, Warp& warp, std::uint32_t lanes);
void watch_block_barrier(Watch& watch, Block& block);
void watch_peer_read(Watch& watch, Lane& lane, Block& peer, std::uint32_t offset);

void watch_start(Watch& watch, Cluster& cluster);
// An object begins, or ends where `live` is false.
void watch_barrier_init(Watch& watch, Lane& lane, BarrierObject& barrier, bool live);
void watch_barrier_arrive(Watch& watch, Lane& lane, BarrierObject& barrier);
void watch_barrier_phase(Watch& watch, Block& block, BarrierObject& barrier);  // one has ended
void watch_barrier_waited(Watch& watch, Lane& lane, BarrierObject& barrier);
void watch_proxy_fence(Watch& watch, Lane& lane);

void watch_bulk_issue(Watch& watch, Lane& lane, const BulkCopy& copy);
void watch_thread_copy_issue(Watch& watch, Lane& lane, const AsyncCopy& copy);
void watch_thread_copy_done(Watch& watch, Lane& lane, const AsyncCopy& copy);

inline Lane& lane_of_warp(Cluster& cluster, const Warp& warp, int lane) {
  return *cluster.lane(static_cast<std::size_t>(warp.first_lane + lane));
}

}  // namespace chainwalk::emulator
