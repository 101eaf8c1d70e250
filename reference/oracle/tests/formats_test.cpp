// SPDX-License-Identifier: Apache-2.0
// The oracle's conversions against an enumeration of each format (NUM-2, NUM-4, NUM-5, QNT-5,
// QNT-6).
#include "chainwalk/spec/formats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <ios>
#include <vector>

#include "chainwalk/oracle/arithmetic.h"

namespace chainwalk::oracle::test {
namespace {

// Magnitudes 0..0x7E of e4m3, from its definition: 4 exponent bits of bias 7, 3 fraction bits.
std::vector<double> e4m3_magnitudes() {
  std::vector<double> values;
  for (int exponent = 0; exponent < 16; ++exponent) {
    for (int fraction = 0; fraction < 8; ++fraction) {
      const double significand = (exponent == 0 ? 0.0 : 1.0) + fraction / 8.0;
      values.push_back(std::ldexp(significand, (exponent == 0 ? 1 : exponent) - 7));
    }
  }
  values.pop_back();  // the last pattern is NaN
  return values;
}

// Index of the value nearest to `x`, ties to the even index. `values` ascend; midpoints are exact.
std::size_t nearest(const std::vector<double>& values, double x) {
  std::size_t index = 0;
  while (index + 1 < values.size()) {
    const double midpoint = (values[index] + values[index + 1]) / 2.0;
    if (x < midpoint || (x == midpoint && index % 2 == 0)) break;
    ++index;
  }
  return index;
}

double widened(std::uint32_t bf16) {
  return static_cast<double>(std::bit_cast<float>(bf16 << 16U));
}

TEST(OracleFormats, EveryBf16Widens) {
  for (std::uint32_t bf16 = 0; bf16 < 0x1'0000U; ++bf16) {
    const std::uint32_t wide = widen_bits(static_cast<std::uint16_t>(bf16));
    const std::uint32_t fraction = bf16 & 0x7FU;
    const auto field = static_cast<int>((bf16 >> 7U) & 255U);
    const bool negative = bf16 >= 0x8000U;
    const float value = std::bit_cast<float>(wide);
    ASSERT_EQ(std::signbit(value), negative) << std::hex << bf16;
    if (field == 255) {
      // Infinity, or a NaN that keeps its payload.
      ASSERT_EQ(fraction == 0, std::isinf(value)) << std::hex << bf16;
      ASSERT_EQ(wide & 0x7F'FFFFU, fraction * 0x1'0000U) << std::hex << bf16;
      continue;
    }
    const double magnitude =
        std::ldexp((field == 0 ? 0.0 : 128.0) + fraction, (field == 0 ? 1 : field) - 134);
    ASSERT_EQ(static_cast<double>(std::fabs(value)), magnitude) << std::hex << bf16;
  }
}

TEST(OracleFormats, EveryBf16ToE4m3) {
  const auto values = e4m3_magnitudes();
  ASSERT_EQ(values.back(), 448.0);
  for (std::uint32_t bf16 = 0; bf16 < 0x1'0000U; ++bf16) {
    const double x = widened(bf16);
    std::size_t expected = 0x7FU;
    if (!std::isnan(x)) expected = nearest(values, std::fabs(x)) | (bf16 >= 0x8000U ? 0x80U : 0U);
    ASSERT_EQ(e4m3_bits(bf16 << 16U), expected) << std::hex << bf16;
  }
}

TEST(OracleFormats, E4m3RoundsPlainF32AtEveryTie) {
  const auto values = e4m3_magnitudes();
  for (std::size_t code = 0; code + 1 < values.size(); ++code) {
    const auto tie = static_cast<float>((values[code] + values[code + 1]) / 2.0);
    const auto bits = std::bit_cast<std::uint32_t>(tie);
    EXPECT_EQ(e4m3_bits(bits - 1U), code);
    EXPECT_EQ(e4m3_bits(bits), code % 2 == 0 ? code : code + 1);
    EXPECT_EQ(e4m3_bits(bits + 1U), code + 1);
  }
  EXPECT_EQ(e4m3_bits(0x7F7F'FFFFU), 0x7EU);
  EXPECT_EQ(e4m3_bits(0xFF80'0000U), 0xFEU);
  EXPECT_EQ(e4m3_bits(0x8000'0001U), 0x80U);
}

TEST(OracleFormats, EveryBf16ToNibble) {
  const std::vector<double> values{-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7};
  for (std::uint32_t bf16 = 0; bf16 < 0x1'0000U; ++bf16) {
    const double x = widened(bf16);
    // Index i stands for i - 8, so even indices are even values.
    const std::size_t expected = std::isnan(x) ? 7U : (nearest(values, x) + 8U) % 16U;
    ASSERT_EQ(nibble_bits(bf16 << 16U), expected) << std::hex << bf16;
  }
}

TEST(OracleFormats, NibbleRoundsPlainF32AtEveryTie) {
  for (int low = -8; low < 7; ++low) {
    const float tie = static_cast<float>(low) + 0.5F;
    const auto below = std::bit_cast<std::uint32_t>(std::nextafter(tie, -9.0F));
    const auto above = std::bit_cast<std::uint32_t>(std::nextafter(tie, 9.0F));
    const auto even = static_cast<unsigned>(low % 2 == 0 ? low : low + 1) & 15U;
    EXPECT_EQ(nibble_bits(below), static_cast<unsigned>(low) & 15U);
    EXPECT_EQ(nibble_bits(std::bit_cast<std::uint32_t>(tie)), even);
    EXPECT_EQ(nibble_bits(above), static_cast<unsigned>(low + 1) & 15U);
  }
}

TEST(OracleFormats, NarrowingAtEveryTie) {
  for (std::uint32_t bf16 = 0; bf16 < 0x7F80U; ++bf16) {
    for (const std::uint32_t sign : {0U, 0x8000U}) {
      const std::uint32_t low = bf16 | sign;
      const std::uint32_t exact = low << 16U;
      ASSERT_EQ(narrow_bits(exact), low);
      ASSERT_EQ(narrow_bits(exact + 0x7FFFU), low) << std::hex << exact;
      ASSERT_EQ(narrow_bits(exact + 0x8000U), low + (low & 1U)) << std::hex << exact;
      ASSERT_EQ(narrow_bits(exact + 0x8001U), low + 1U) << std::hex << exact;
    }
  }
  EXPECT_EQ(narrow_bits(0x7F80'0000U), 0x7F80U);
  EXPECT_EQ(narrow_bits(0xFF80'0000U), 0xFF80U);
  EXPECT_EQ(narrow_bits(0xFF80'0001U), 0x7FFFU);
  EXPECT_EQ(narrow_bits(0x7FFF'FFFFU), 0x7FFFU);
}

TEST(OracleFormats, StridedF32AsTheSpecification) {
  // A prime stride, so that every low half word is met; every value is in the long test.
  for (std::uint64_t bits = 0; bits < 0x1'0000'0000U; bits += 1021U) {
    const auto f32 = static_cast<std::uint32_t>(bits);
    const float value = std::bit_cast<float>(f32);
    ASSERT_EQ(narrow_bits(f32), bf16_narrow(value)) << std::hex << f32;
    ASSERT_EQ(e4m3_bits(f32), e4m3_from_f32(value)) << std::hex << f32;
    ASSERT_EQ(nibble_bits(f32), nibble_from_f32(value)) << std::hex << f32;
  }
}

}  // namespace
}  // namespace chainwalk::oracle::test
