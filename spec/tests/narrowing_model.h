// SPDX-License-Identifier: Apache-2.0
// Narrowing to bf16 as a choice between two neighbours (NUM-4): the model that tests compare with.
#pragma once

#include <cstdint>

namespace chainwalk::tests {

// Between two neighbouring bf16 values, f32 values are evenly spaced, so the lower half of the bits
// is the distance from the one nearer to zero in units of 2^-16 of the gap. The neighbour after the
// greatest finite value is infinity.
constexpr std::uint16_t narrowed(std::uint32_t bits) {
  const bool nan = (bits & 0x7F80'0000U) == 0x7F80'0000U && (bits & 0x007F'FFFFU) != 0;
  if (nan) return 0x7FFFU;
  const auto nearer_zero = static_cast<std::uint16_t>(bits >> 16U);
  const auto beyond = static_cast<std::uint16_t>(nearer_zero + 1U);
  const std::uint32_t distance = bits % 0x1'0000U;
  if (distance < 0x8000U) return nearer_zero;
  if (distance > 0x8000U) return beyond;
  return nearer_zero % 2U == 0 ? nearer_zero : beyond;
}

}  // namespace chainwalk::tests
