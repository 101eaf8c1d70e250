// SPDX-License-Identifier: Apache-2.0
// Number formats over every bf16 value against an enumeration of each format (NUM-1, NUM-4, NUM-5,
// NUM-7, QNT-6), and the narrowing of f32 around every bf16 value.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "chainwalk/spec/formats.h"
#include "narrowing_model.h"

namespace chainwalk {
namespace {

// The value of finite bf16 bits, from the definition of the format.
double bf16_value(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 7U & 255U);
  const int fraction = static_cast<int>(bits & 127U);
  const double magnitude = exponent == 0 ? std::ldexp(fraction, -126 - 7)
                                         : std::ldexp(128 + fraction, exponent - 127 - 7);
  return (bits & 0x8000U) != 0 ? -magnitude : magnitude;
}
bool bf16_is_nan(std::uint32_t bits) { return (bits & 0x7FFFU) > 0x7F80U; }
bool bf16_is_infinite(std::uint32_t bits) { return (bits & 0x7FFFU) == 0x7F80U; }

// The value of an e4m3 code below 0x7F, from the definition of the format.
double e4m3_value(unsigned code) {
  const int exponent = static_cast<int>(code >> 3U);
  const int fraction = static_cast<int>(code & 7U);
  return exponent == 0 ? std::ldexp(fraction, -6 - 3) : std::ldexp(8 + fraction, exponent - 7 - 3);
}

// The nearest of `values` (ascending) to x, with ties to the one for which `even` holds; values
// outside take the nearest end. Midpoints of neighbours are exact in double.
template <typename Even>
std::size_t nearest(const std::vector<double>& values, double x, Even even) {
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const double middle = (values[i] + values[i + 1]) / 2;
    if (x < middle || (x == middle && even(i))) return i;
  }
  return values.size() - 1;
}

std::vector<double> e4m3_values() {
  std::vector<double> values;
  for (unsigned code = 0; code < 0x7FU; ++code) values.push_back(e4m3_value(code));
  return values;
}

TEST(Formats, RuleNUM4WideningOfEveryBf16Value) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const float wide = bf16_widen(static_cast<std::uint16_t>(bits));
    ASSERT_EQ(f32_bits(wide), bits << 16U);
    if (bf16_is_nan(bits) || bf16_is_infinite(bits)) continue;
    ASSERT_EQ(static_cast<double>(wide), bf16_value(bits)) << std::hex << bits;
  }
}

TEST(Formats, RuleNUM4NarrowingAroundEveryBf16Value) {
  for (std::uint32_t upper = 0; upper < 0x10000U; ++upper) {
    for (const std::uint32_t lower :
         {0U, 1U, 2U, 0x7FFEU, 0x7FFFU, 0x8000U, 0x8001U, 0x8002U, 0xFFFEU, 0xFFFFU}) {
      const std::uint32_t bits = upper << 16U | lower;
      ASSERT_EQ(bf16_narrow(f32_from_bits(bits)), tests::narrowed(bits)) << std::hex << bits;
    }
  }
}

TEST(Formats, RuleNUM4NarrowingUndoesWidening) {
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    const auto narrow = static_cast<std::uint16_t>(bits);
    const std::uint32_t expected = bf16_is_nan(bits) ? 0x7FFFU : bits;
    ASSERT_EQ(bf16_narrow(bf16_widen(narrow)), expected);
    ASSERT_EQ(f32_bits(bf16_round(bf16_widen(narrow))), expected << 16U);
  }
}

TEST(Formats, RuleNUM5EveryBf16ValueTakesTheNearestCode) {
  const std::vector<double> values = e4m3_values();
  const auto even = [](std::size_t code) { return code % 2 == 0; };
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    std::size_t expected = 0x7FU;
    if (!bf16_is_nan(bits)) {
      const double magnitude = bf16_is_infinite(bits) ? HUGE_VAL : std::fabs(bf16_value(bits));
      expected = nearest(values, magnitude, even) | (bits >> 8U & 0x80U);
    }
    ASSERT_EQ(e4m3_from_f32(f32_from_bits(bits << 16U)), expected) << std::hex << bits;
  }
}

// An f32 operand between two bf16 values must not slip either: the neighbours of every tie.
TEST(Formats, RuleNUM5NeighboursOfEveryTie) {
  const std::vector<double> values = e4m3_values();
  const auto even = [](std::size_t code) { return code % 2 == 0; };
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    const auto middle = static_cast<float>((values[i] + values[i + 1]) / 2);
    for (const float x : {std::nextafterf(middle, 0.0F), middle, std::nextafterf(middle, 1e9F)}) {
      const std::size_t expected = nearest(values, static_cast<double>(x), even);
      ASSERT_EQ(e4m3_from_f32(x), expected) << x;
      ASSERT_EQ(e4m3_from_f32(-x), expected | 0x80U) << x;
    }
  }
}

TEST(Formats, RuleNUM5WideningOfEveryCode) {
  for (unsigned code = 0; code < 0x100U; ++code) {
    const float wide = e4m3_widen(static_cast<std::uint8_t>(code));
    if ((code & 0x7FU) == 0x7FU) {
      ASSERT_EQ(f32_bits(wide), 0x7FFF'FFFFU);
      continue;
    }
    ASSERT_EQ(static_cast<double>(std::fabs(wide)), e4m3_value(code & 0x7FU));
    ASSERT_EQ(std::signbit(wide), code >= 0x80U);
  }
}

TEST(Formats, RuleQNT6EveryBf16ValueTakesTheNearestNibble) {
  std::vector<double> values;
  for (int value = -8; value <= 7; ++value) values.push_back(value);
  const auto even = [](std::size_t i) { return i % 2 == 0; };  // index 0 is -8
  for (std::uint32_t bits = 0; bits < 0x10000U; ++bits) {
    unsigned expected = 7;
    if (!bf16_is_nan(bits)) {
      const double x =
          bf16_is_infinite(bits) ? (bits < 0x8000U ? HUGE_VAL : -HUGE_VAL) : bf16_value(bits);
      expected = static_cast<unsigned>(nearest(values, x, even) + 8U) % 16U;
    }
    ASSERT_EQ(nibble_from_f32(f32_from_bits(bits << 16U)), expected) << std::hex << bits;
  }
}

TEST(Formats, RuleQNT6NeighboursOfEveryTie) {
  for (int below = -9; below <= 7; ++below) {
    const float tie = static_cast<float>(below) + 0.5F;
    const auto clamped = [](int value) {
      return static_cast<unsigned>(value < -8 ? -8 : value > 7 ? 7 : value) & 15U;
    };
    const int even = below % 2 == 0 ? below : below + 1;
    EXPECT_EQ(nibble_from_f32(std::nextafterf(tie, -99.0F)), clamped(below)) << tie;
    EXPECT_EQ(nibble_from_f32(tie), clamped(even)) << tie;
    EXPECT_EQ(nibble_from_f32(std::nextafterf(tie, 99.0F)), clamped(below + 1)) << tie;
  }
}

TEST(Formats, RuleQNT6WideningOfEveryNibble) {
  for (unsigned byte = 0; byte < 0x100U; ++byte) {
    const int value = nibble_widen(static_cast<std::uint8_t>(byte));
    EXPECT_GE(value, -8);
    EXPECT_LE(value, 7);
    EXPECT_EQ(static_cast<unsigned>(value) & 15U, byte & 15U);
  }
}

TEST(Formats, RuleNUM1CanonicalNan) {
  for (const std::uint32_t nan :
       {0x7F80'0001U, 0x7FC0'0000U, 0x7FFF'FFFFU, 0xFF80'0001U, 0xFFC0'1234U, 0xFFFF'FFFFU}) {
    EXPECT_TRUE(f32_is_nan(nan));
    EXPECT_EQ(f32_canonical(nan), 0x7FFF'FFFFU);
  }
  for (const std::uint32_t number :
       {0U, 0x8000'0000U, 1U, 0x8000'0001U, 0x7F80'0000U, 0xFF80'0000U, 0x7F7F'FFFFU}) {
    EXPECT_FALSE(f32_is_nan(number));
    EXPECT_EQ(f32_canonical(number), number);
  }
}

TEST(Formats, RuleNUM7Maximum) {
  // Ascending, and +0 above -0.
  const std::array<std::uint32_t, 12> ascending{
      0xFF80'0000U, 0xFF7F'FFFFU, 0xBF80'0000U, 0x8080'0000U, 0x8000'0001U, 0x8000'0000U,
      0x0000'0000U, 0x0000'0001U, 0x0080'0000U, 0x3F80'0000U, 0x7F7F'FFFFU, 0x7F80'0000U};
  const std::array<std::uint32_t, 4> nans{0x7F80'0001U, 0x7FFF'FFFFU, 0xFFC0'0000U, 0xFFFF'FFFFU};
  const auto maximum = [](std::uint32_t a, std::uint32_t b) {
    return f32_bits(max_number(f32_from_bits(a), f32_from_bits(b)));
  };
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      EXPECT_EQ(maximum(ascending[i], ascending[j]), ascending[std::max(i, j)]) << i << " " << j;
    }
    for (const std::uint32_t nan : nans) {
      EXPECT_EQ(maximum(ascending[i], nan), ascending[i]);
      EXPECT_EQ(maximum(nan, ascending[i]), ascending[i]);
    }
  }
  for (const std::uint32_t a : nans) {
    for (const std::uint32_t b : nans) EXPECT_EQ(maximum(a, b), 0x7FFF'FFFFU);
  }
}

TEST(Formats, ConstantsOfTheSpecification) {
  // The nearest f32 to 1/448, 1/7 and 10^-12: twice the error is at most a unit in the last place.
  const auto is_nearest = [](std::uint32_t bits, long double exact) {
    const auto distance = [&](std::uint32_t one) {
      return std::fabs(static_cast<long double>(f32_from_bits(one)) - exact);
    };
    return distance(bits) < distance(bits - 1) && distance(bits) < distance(bits + 1);
  };
  EXPECT_TRUE(is_nearest(policy::fp8_reciprocal_qmax, 1.0L / 448));
  EXPECT_TRUE(is_nearest(policy::int4_reciprocal_qmax, 1.0L / 7));
  EXPECT_TRUE(is_nearest(policy::scale_floor, 1e-12L));
}

}  // namespace
}  // namespace chainwalk
