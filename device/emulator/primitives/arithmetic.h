// SPDX-License-Identifier: Apache-2.0
// Floating-point operations and conversions with the chip's bits on any host (NUM, QNT): every NaN
// that an operation makes is the chip's, whatever the host's sign and payload.
#pragma once

#include "chainwalk/spec/formats.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE float as_float(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
CW_DEVICE std::uint32_t as_bits(float value) { return __builtin_bit_cast(std::uint32_t, value); }
// NUM-1: bits with which a computed f32 is stored.
CW_DEVICE float canonical(float value) {
  return value == value ? value : as_float(policy::f32_nan);
}

CW_DEVICE float fma_rn(float a, float b, float c) {  // ARI-1, ARI-2
  return canonical(__builtin_fmaf(a, b, c));
}
CW_DEVICE float multiply_rn(float a, float b) { return canonical(a * b); }  // QNT-3
CW_DEVICE float divide_rn(float a, float b) { return canonical(a / b); }    // QNT-4
CW_DEVICE float reciprocal_rn(float a) { return canonical(1.0F / a); }
CW_DEVICE float max_number_rn(float a, float b) { return max_number(a, b); }  // NUM-7
CW_DEVICE float absolute(float a) { return as_float(as_bits(a) & 0x7FFF'FFFFU); }

// NUM-4: two f32 to two bf16, `low` in bits 0..15, NaN 0x7FFF.
CW_DEVICE std::uint16_t narrow(float value) { return bf16_narrow(value); }
CW_DEVICE std::uint32_t narrow_pair(float low, float high) {
  return narrow(low) | (static_cast<std::uint32_t>(narrow(high)) << 16U);
}
CW_DEVICE float widen_low(std::uint32_t pair) { return as_float(pair << 16U); }
CW_DEVICE float widen_high(std::uint32_t pair) { return as_float(pair & 0xFFFF'0000U); }
CW_DEVICE float widen(std::uint16_t bits) {
  return as_float(static_cast<std::uint32_t>(bits) << 16U);
}

// NUM-5: two f32 to two e4m3, `low` in bits 0..7.
CW_DEVICE std::uint16_t e4m3_pair(float low, float high) {
  return static_cast<std::uint16_t>(e4m3_from_f32(low) | (e4m3_from_f32(high) << 8U));
}
// QNT-6: a nibble in bits 0..3.
CW_DEVICE std::uint32_t nibble(float value) { return nibble_from_f32(value); }

CW_NAMESPACE_END
