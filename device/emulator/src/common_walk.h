// SPDX-License-Identifier: Apache-2.0
// The kernel that other simulators can run too (bench/common_walk.cpp).
#pragma once

#include <cstdint>

#include "parameters.h"

namespace chainwalk::emulator {

inline constexpr std::int32_t common_walk_batch = 8;    // records in shared memory
inline constexpr std::int32_t common_walk_columns = 4;  // of a thread
inline constexpr std::int64_t common_walk_shared_bytes = common_walk_batch * 16;

void common_walk(const device::WalkParameters& parameters);

}  // namespace chainwalk::emulator
