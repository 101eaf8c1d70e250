// SPDX-License-Identifier: Apache-2.0
// Votes, shuffles and barriers of a warp. Every lane of `mask` must call with the same mask.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

inline constexpr unsigned full_warp = 0xFFFF'FFFFU;

CW_DEVICE void sync_warp(unsigned mask = full_warp) { __syncwarp(mask); }
// Every lane of the warp calls. Orders nothing: the compiler moves loads past the wait for a copy,
// to where their values are used, but not past this.
CW_DEVICE void keep_loads_before() { __syncwarp(); }
CW_DEVICE unsigned ballot(unsigned mask, bool vote) { return __ballot_sync(mask, vote ? 1 : 0); }
CW_DEVICE int popcount(unsigned bits) { return __popc(bits); }
CW_DEVICE int lowest_bit(unsigned bits) { return __ffs(static_cast<int>(bits)) - 1; }  // -1 for 0

// Value of `source_lane` (0..31), which must be in the mask.
CW_DEVICE std::uint32_t shuffle(unsigned mask, std::uint32_t value, int source_lane) {
  return __shfl_sync(mask, value, source_lane);
}
CW_DEVICE std::int32_t shuffle(unsigned mask, std::int32_t value, int source_lane) {
  return __shfl_sync(mask, value, source_lane);
}
CW_DEVICE float shuffle(unsigned mask, float value, int source_lane) {
  return __shfl_sync(mask, value, source_lane);
}
CW_DEVICE float shuffle_xor(unsigned mask, float value, int lane_bits) {
  return __shfl_xor_sync(mask, value, lane_bits);
}

CW_NAMESPACE_END
