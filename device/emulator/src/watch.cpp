// SPDX-License-Identifier: Apache-2.0
#include "src/watch.h"
namespace chainwalk::emulator {
void watch_warp_barrier(Watch&, Warp&, std::uint32_t) {}
void watch_block_barrier(Watch&, Block&) {}
void watch_cluster_wait(Watch&, Lane&) {}
void watch_peer_read(Watch&, Lane&, Block&, std::uint32_t) {}
void watch_barrier_init(Watch&, Lane&, BarrierObject&) {}
void watch_barrier_arrive(Watch&, Lane&, BarrierObject&) {}
void watch_barrier_phase(Watch&, BarrierObject&) {}
void watch_barrier_waited(Watch&, Lane&, BarrierObject&) {}
void watch_proxy_fence(Watch&, Lane&) {}
void watch_bulk_issue(Watch&, Lane&, const BulkCopy&) {}
void watch_thread_copy_issue(Watch&, Lane&, const AsyncCopy&) {}
void watch_thread_copy_done(Watch&, Lane&, const AsyncCopy&) {}
}  // namespace chainwalk::emulator
