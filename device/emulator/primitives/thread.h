// SPDX-License-Identifier: Apache-2.0
// Where a thread stands: lane, warp, block, cluster.
#pragma once

#include "machine/lane.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE int thread_index() { return emulator::this_lane().thread; }
CW_DEVICE int block_threads() { return emulator::this_lane().block_threads; }
CW_DEVICE int lane_index() { return emulator::this_lane().thread & 31; }
CW_DEVICE int warp_index() { return emulator::this_lane().thread >> 5; }
CW_DEVICE std::int64_t block_index() { return emulator::this_lane().block_index; }

CW_NAMESPACE_END
