// SPDX-License-Identifier: Apache-2.0
// A product of bf16 rows with the reciprocal of their scale gives the codes of the division
// (QNT-4, QNT-5, QNT-6): every bf16 x against every significand of a scale at the exponents that
// scales reach.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "chainwalk/spec/formats.h"
#include "quantize.h"

namespace chainwalk::device {
namespace {

// QNT-3: a scale is a bf16 from the floor 1e-12 to 2^128 / 7, or infinity.
template <typename Check>
void for_every_scale(int exponent_step, const Check& check) {
  for (int exponent = -40; exponent <= 125; exponent += exponent_step) {
    for (std::uint32_t fraction = 0; fraction < 128; ++fraction) {
      const auto bits = (static_cast<std::uint32_t>(exponent + 127) << 7U) | fraction;
      check(bf16_widen(static_cast<std::uint16_t>(bits)));
    }
  }
  check(f32_from_bits(0x7F80'0000U));
}

void compare_codes(float scale) {
  const Divisor<BankType::bf16> divisor(scale);
  for (std::uint32_t bits = 0; bits < 0x1'0000U; ++bits) {
    const float x = bf16_widen(static_cast<std::uint16_t>(bits));
    // amax bounds every x of a row, and the scale is within 2^-8 of amax / qmax: infinite with it.
    if (std::isfinite(scale) && (std::isinf(x) || std::fabs(x) > 452.0F * scale)) continue;
    const float exact = bf16_round(divide_rn(x, scale));
    const float quick = bf16_round(divisor.quotient(x));
    ASSERT_EQ(e4m3_from_f32(quick), e4m3_from_f32(exact)) << x << " / " << scale;
    ASSERT_EQ(nibble_from_f32(quick), nibble_from_f32(exact)) << x << " / " << scale;
  }
}

TEST(Quotient, CodesAreThoseOfTheDivision) { for_every_scale(15, compare_codes); }

}  // namespace
}  // namespace chainwalk::device
