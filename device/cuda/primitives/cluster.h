// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks: rank, barrier, and reads of a peer's shared memory (async image only).
#pragma once

#include "primitives/mbarrier.h"

CW_NAMESPACE_BEGIN

CW_DEVICE int cluster_rank() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}
CW_DEVICE int cluster_blocks() {
  std::uint32_t count;
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(count));
  return static_cast<int>(count);
}
// Every thread of every block arrives once a phase, then waits.
CW_DEVICE void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
CW_DEVICE void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The float at the same place of block `rank`'s shared memory.
CW_DEVICE float load_peer(const float* shared, int rank) {
  std::uint32_t address;
  float value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared_address(shared)), "r"(rank));
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(address) : "memory");
  return value;
}

CW_NAMESPACE_END
