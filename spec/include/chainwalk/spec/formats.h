// SPDX-License-Identifier: Apache-2.0
// Number formats of the walk, one value at a time, on bits alone: bf16, f32, e4m3 and signed
// nibbles (NUM-1, NUM-4, NUM-5, NUM-7, QNT-3, QNT-4, QNT-6). Valid for every input, NaN included,
// on hosts whose own conversions differ from the chip's. No function reads or sets errno or the
// floating-point environment; all assume round to nearest even and subnormals kept.
#pragma once

#include <bit>
#include <cstdint>

#include "chainwalk/spec/policy.h"

namespace chainwalk {

inline constexpr std::uint32_t f32_bits(float value) { return std::bit_cast<std::uint32_t>(value); }
inline constexpr float f32_from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

inline constexpr bool f32_is_nan(std::uint32_t bits) {
  return (bits & 0x7FFF'FFFFU) > 0x7F80'0000U;
}

// NUM-1: the bits with which a computed f32 is stored.
inline constexpr std::uint32_t f32_canonical(std::uint32_t bits) {
  return f32_is_nan(bits) ? policy::f32_nan : bits;
}

// NUM-4: bf16 widens exactly; a NaN keeps sign and payload.
inline constexpr float bf16_widen(std::uint16_t bits) {
  return f32_from_bits(static_cast<std::uint32_t>(bits) << 16U);
}

// NUM-4: f32 narrows to nearest even; overflow gives infinity, NaN of either sign 0x7FFF.
inline constexpr std::uint16_t bf16_narrow(float value) {
  const std::uint32_t bits = f32_bits(value);
  if (f32_is_nan(bits)) return policy::bf16_nan;
  const std::uint32_t tie_to_even = 0x7FFFU + ((bits >> 16U) & 1U);
  return static_cast<std::uint16_t>((bits + tie_to_even) >> 16U);
}

// f32(bf16(value)): the rounding of QNT-3 and QNT-4.
inline constexpr float bf16_round(float value) { return bf16_widen(bf16_narrow(value)); }

// NUM-7: the chip's maximum: passes over one NaN, takes +0 over -0 in either order; two NaN give
// policy::f32_nan.
inline constexpr float max_number(float a, float b) {
  const std::uint32_t a_bits = f32_bits(a);
  const std::uint32_t b_bits = f32_bits(b);
  if (f32_is_nan(a_bits)) return f32_is_nan(b_bits) ? f32_from_bits(policy::f32_nan) : b;
  if (f32_is_nan(b_bits)) return a;
  if (a == b) return f32_from_bits(a_bits & b_bits);  // equal bits, or zeros of two signs
  return a > b ? a : b;
}

// NUM-5: e4m3 of an f32: nearest even, saturating, subnormals in steps of 2^-9.
inline constexpr std::uint8_t e4m3_from_f32(float value) {
  const std::uint32_t bits = f32_bits(value);
  if (f32_is_nan(bits)) return policy::e4m3_nan;
  const auto sign = static_cast<std::uint8_t>((bits >> 24U) & policy::e4m3_sign);
  const std::uint32_t magnitude = bits & 0x7FFF'FFFFU;
  const int exponent = static_cast<int>(magnitude >> 23U) - 127;
  std::uint32_t code = 0;
  if (exponent >= -6) {
    // Normal: keep 3 fraction bits; rebias from 127 to 7. A carry into the exponent is right as is.
    const std::uint32_t rounded = magnitude + 0x7'FFFFU + ((magnitude >> 20U) & 1U);
    const std::uint32_t rebiased = (rounded >> 20U) - (120U << 3U);
    code = rebiased > policy::e4m3_max_finite ? policy::e4m3_max_finite : rebiased;
  } else if (exponent >= -10) {
    // Subnormal: a whole number of 2^-9 steps, which the significand shifted right holds.
    const std::uint32_t significand = (magnitude & 0x7F'FFFFU) | 0x80'0000U;
    const auto shift = static_cast<std::uint32_t>(23 - 9 - exponent);
    const std::uint32_t half = 1U << (shift - 1U);
    const std::uint32_t odd = (significand >> shift) & 1U;
    code = (significand + half - 1U + odd) >> shift;
  }
  return static_cast<std::uint8_t>(sign | code);
}

// Exact value of an e4m3 code; 0x7F and 0xFF give NaN (QNT-8's E for fp8 payload).
inline constexpr float e4m3_widen(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & policy::e4m3_sign) << 24U;
  const std::uint32_t exponent = (code >> 3U) & 15U;
  const std::uint32_t fraction = code & 7U;
  if (exponent == 15U && fraction == 7U) return f32_from_bits(policy::f32_nan);
  if (exponent == 0U) {
    const float steps = static_cast<float>(fraction) * 0x1p-9F;
    return f32_from_bits(f32_bits(steps) | sign);
  }
  return f32_from_bits(sign | ((exponent + 120U) << 23U) | (fraction << 20U));
}

// QNT-6: clamp(rint(value), -8, 7) as a two's complement nibble in bits 0..3, ties to even, NaN 7.
inline constexpr std::uint8_t nibble_from_f32(float value) {
  if (f32_is_nan(f32_bits(value))) return policy::int4_nan;
  int rounded = 0;
  if (value >= static_cast<float>(policy::int4_max)) {
    rounded = policy::int4_max;
  } else if (value <= static_cast<float>(policy::int4_min)) {
    rounded = policy::int4_min;
  } else {
    const int below =
        static_cast<int>(value) - (static_cast<float>(static_cast<int>(value)) > value);
    const float above_floor = value - static_cast<float>(below);  // exact: |value| < 8
    const bool up = above_floor > 0.5F || (above_floor == 0.5F && (below & 1) != 0);
    rounded = below + static_cast<int>(up);
  }
  return static_cast<std::uint8_t>(static_cast<unsigned>(rounded) & 15U);
}

// Value in -8..7 of a nibble (bits 4..7 are ignored).
inline constexpr int nibble_widen(std::uint8_t nibble) {
  const int value = nibble & 15;
  return value >= 8 ? value - 16 : value;
}

}  // namespace chainwalk
