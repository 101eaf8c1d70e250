// SPDX-License-Identifier: Apache-2.0
// Barrier and shared memory of a block; the end of a launch that cannot go on.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE void sync_block() { __syncthreads(); }

// Ends the launch with an error.
CW_DEVICE void trap() { __trap(); }

// First byte of the block's dynamic shared memory, 1024-byte aligned in every launch.
CW_DEVICE unsigned char* shared_memory() {
  extern __shared__ __align__(1024) unsigned char chainwalk_shared[];
  return chainwalk_shared;
}

CW_NAMESPACE_END
