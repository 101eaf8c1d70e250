// SPDX-License-Identifier: Apache-2.0
// Votes, shuffles and barriers of a warp. Every lane of `mask` must call with the same mask.
#pragma once

#include <bit>

#include "machine/operations.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

inline constexpr unsigned full_warp = 0xFFFF'FFFFU;

CW_DEVICE void sync_warp(unsigned mask = full_warp) { emulator::sync_warp(mask); }
// For compilers that move loads to where their values are used; orders nothing.
CW_DEVICE void keep_loads_before() {}
CW_DEVICE unsigned ballot(unsigned mask, bool vote) { return emulator::ballot(mask, vote); }
CW_DEVICE int popcount(unsigned bits) { return std::popcount(bits); }
CW_DEVICE int lowest_bit(unsigned bits) { return __builtin_ffs(static_cast<int>(bits)) - 1; }

// Value of `source_lane` (0..31), which must be in the mask.
CW_DEVICE std::uint32_t shuffle(unsigned mask, std::uint32_t value, int source_lane) {
  return emulator::shuffle(mask, value, source_lane);
}
CW_DEVICE std::int32_t shuffle(unsigned mask, std::int32_t value, int source_lane) {
  return static_cast<std::int32_t>(
      emulator::shuffle(mask, static_cast<std::uint32_t>(value), source_lane));
}
CW_DEVICE float shuffle(unsigned mask, float value, int source_lane) {
  return __builtin_bit_cast(
      float, emulator::shuffle(mask, __builtin_bit_cast(std::uint32_t, value), source_lane));
}
CW_DEVICE float shuffle_xor(unsigned mask, float value, int lane_bits) {
  return __builtin_bit_cast(
      float, emulator::shuffle_xor(mask, __builtin_bit_cast(std::uint32_t, value), lane_bits));
}

CW_NAMESPACE_END
