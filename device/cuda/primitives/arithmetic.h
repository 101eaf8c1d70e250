// SPDX-License-Identifier: Apache-2.0
// Floating-point operations and conversions with one meaning on every machine (NUM, QNT). Each is
// one instruction, or a fixed sequence, that the compiler may not contract.
#pragma once

#include "chainwalk/spec/formats.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

CW_DEVICE float fma_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }  // ARI-1, ARI-2
CW_DEVICE float multiply_rn(float a, float b) { return __fmul_rn(a, b); }         // QNT-3
CW_DEVICE float divide_rn(float a, float b) { return __fdiv_rn(a, b); }           // QNT-4
CW_DEVICE float reciprocal_rn(float a) { return __frcp_rn(a); }
CW_DEVICE float max_number_rn(float a, float b) { return fmaxf(a, b); }  // NUM-7
CW_DEVICE float absolute(float a) { return fabsf(a); }  // a part of the instruction that reads it
CW_DEVICE float as_float(std::uint32_t bits) { return __uint_as_float(bits); }
CW_DEVICE std::uint32_t as_bits(float value) { return __float_as_uint(value); }

// NUM-4: two f32 to two bf16, `low` in bits 0..15, NaN 0x7FFF.
CW_DEVICE std::uint32_t narrow_pair(float low, float high) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
}
CW_DEVICE std::uint16_t narrow(float value) {
  return static_cast<std::uint16_t>(narrow_pair(value, 0.0F) & 0xFFFFU);
}
CW_DEVICE float widen_low(std::uint32_t pair) { return __uint_as_float(pair << 16U); }
CW_DEVICE float widen_high(std::uint32_t pair) { return __uint_as_float(pair & 0xFFFF'0000U); }
CW_DEVICE float widen(std::uint16_t bits) {
  return __uint_as_float(static_cast<std::uint32_t>(bits) << 16U);
}

// NUM-5: two f32 to two e4m3, `low` in bits 0..7.
CW_DEVICE std::uint16_t e4m3_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
  std::uint16_t packed;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(high), "f"(low));
  return packed;
#else
  return static_cast<std::uint16_t>(e4m3_from_f32(low) | (e4m3_from_f32(high) << 8U));
#endif
}
// QNT-6: a nibble in bits 0..3. The minimum comes first: it turns NaN into 7.
CW_DEVICE std::uint32_t nibble(float value) {
  return static_cast<std::uint32_t>(__float2int_rn(fmaxf(fminf(value, 7.0F), -8.0F))) & 15U;
}
// NUM-1: bits with which the result of an operation is stored. The chip's own NaN is that of NUM-1.
CW_DEVICE float canonical(float value) { return value; }

CW_NAMESPACE_END
