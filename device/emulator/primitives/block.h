// SPDX-License-Identifier: Apache-2.0
// Barrier and shared memory of a block; the end of a launch that cannot go on.
#pragma once

#include "machine/lane.h"
#include "machine/operations.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE void sync_block() { emulator::sync_block(); }

// Ends the launch with an error.
CW_DEVICE void trap() { emulator::trap(); }

// First byte of the block's dynamic shared memory, 1024-byte aligned in every launch.
CW_DEVICE unsigned char* shared_memory() { return emulator::this_lane().shared; }

CW_NAMESPACE_END
