// SPDX-License-Identifier: Apache-2.0
// Clusters of blocks: rank, barrier, and reads of a peer's shared memory (async image only).
#pragma once

#include "primitives/mbarrier.h"

CW_NAMESPACE_BEGIN

CW_DEVICE int cluster_rank() { return emulator::cluster_rank(); }
CW_DEVICE int cluster_blocks() { return emulator::cluster_blocks(); }
// Every thread of every block arrives once a phase, then waits.
CW_DEVICE void cluster_arrive() { emulator::cluster_arrive(); }
CW_DEVICE void cluster_wait() { emulator::cluster_wait(); }

// The float at the same place of block `rank`'s shared memory.
CW_DEVICE float load_peer(const float* shared, int rank) {
  return emulator::load_peer(shared, rank);
}

CW_NAMESPACE_END
