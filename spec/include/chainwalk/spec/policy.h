// SPDX-License-Identifier: Apache-2.0
// Every choice that IEEE 754 leaves open and this specification fixes: NaN bits, saturation,
// rounding of conversions, and the constants of quantized rows (NUM, QNT-3). Plain constants, so
// that host code and device code read the same ones. The oracle has its own on purpose.
#pragma once

#include <cstdint>

namespace chainwalk::policy {

// NUM-1: bits of every NaN that the walk computes; sign and payload of the operands are dropped.
inline constexpr std::uint32_t f32_nan = 0x7FFF'FFFFU;
inline constexpr std::uint16_t bf16_nan = 0x7FFFU;

// NUM-5: e4m3 saturates. Magnitudes over 448 and infinities take max_finite with their sign; NaN of
// either sign takes nan.
inline constexpr std::uint8_t e4m3_nan = 0x7FU;
inline constexpr std::uint8_t e4m3_max_finite = 0x7EU;  // 448
inline constexpr std::uint8_t e4m3_sign = 0x80U;

// QNT-3, as f32 bits: reciprocals of the greatest quantized magnitude and the floor of the scale.
inline constexpr std::uint32_t fp8_reciprocal_qmax = 0x3B12'4925U;   // f32(1/448)
inline constexpr std::uint32_t int4_reciprocal_qmax = 0x3E12'4925U;  // f32(1/7)
inline constexpr std::uint32_t scale_floor = 0x2B8C'BCCCU;           // 1e-12f

// QNT-6: nibbles are clamped to [-8, 7]; NaN takes 7.
inline constexpr int int4_min = -8;
inline constexpr int int4_max = 7;
inline constexpr int int4_nan = 7;

}  // namespace chainwalk::policy
