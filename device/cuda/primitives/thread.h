// SPDX-License-Identifier: Apache-2.0
// Where a thread stands: lane, warp, block, cluster.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE int thread_index() { return static_cast<int>(threadIdx.x); }
CW_DEVICE int block_threads() { return static_cast<int>(blockDim.x); }
CW_DEVICE int lane_index() { return static_cast<int>(threadIdx.x) & 31; }
CW_DEVICE int warp_index() { return static_cast<int>(threadIdx.x) >> 5; }
CW_DEVICE std::int64_t block_index() { return static_cast<std::int64_t>(blockIdx.x); }

CW_NAMESPACE_END
