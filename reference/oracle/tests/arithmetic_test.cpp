// SPDX-License-Identifier: Apache-2.0
// The oracle's fma, product and quotient: by hand in hex, and against the host's own (NUM-1, NUM-3,
// NUM-6, NUM-7, ARI-1).
#include "chainwalk/oracle/arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <ios>
#include <vector>

#include "random_bits.h"

namespace chainwalk::oracle::test {
namespace {

constexpr std::uint32_t nan = 0x7FFF'FFFFU;

std::uint32_t host_bits(float value) {
  return std::isnan(value) ? nan : std::bit_cast<std::uint32_t>(value);
}
float host(std::uint32_t bits) { return std::bit_cast<float>(bits); }

std::vector<std::uint32_t> special_values() {
  std::vector<std::uint32_t> values;
  for (const std::uint32_t magnitude : special_magnitudes) {
    values.push_back(magnitude);
    values.push_back(magnitude | 0x8000'0000U);
  }
  return values;
}

struct FmaCase {
  std::uint32_t a, b, c, expected;
};

TEST(OracleFma, SpecialValuesByHand) {
  const FmaCase cases[] = {
      // Signs of exact zeros (NUM-3).
      {0x0000'0000, 0x3F80'0000, 0x0000'0000, 0x0000'0000},  // +0 * 1 + +0
      {0x8000'0000, 0x3F80'0000, 0x8000'0000, 0x8000'0000},  // -0 * 1 + -0
      {0x8000'0000, 0x3F80'0000, 0x0000'0000, 0x0000'0000},  // -0 * 1 + +0
      {0x3F80'0000, 0x3F80'0000, 0xBF80'0000, 0x0000'0000},  // 1 * 1 - 1
      {0xBF80'0000, 0x3F80'0000, 0x3F80'0000, 0x0000'0000},  // -1 * 1 + 1
      {0x0000'0000, 0xBF80'0000, 0x8000'0000, 0x8000'0000},  // -0 + -0
      // Infinity and NaN (NUM-1).
      {0x7F80'0000, 0x0000'0000, 0x3F80'0000, nan},
      {0x7F80'0000, 0x3F80'0000, 0xFF80'0000, nan},
      {0x7F80'0000, 0x3F80'0000, 0x7F80'0000, 0x7F80'0000},
      {0x3F80'0000, 0x3F80'0000, 0xFF80'0000, 0xFF80'0000},
      {0xFFC0'0001, 0x3F80'0000, 0x3F80'0000, nan},
      {0x3F80'0000, 0x3F80'0000, 0x7F80'0001, nan},
      // One rounding: (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46; a rounded product would give 0.
      {0x3F80'0001, 0x3F80'0001, 0xBF80'0002, 0x2880'0000},
      // 1 + 2^-24 is a tie and goes to even, 1; 1 + 2^-23 + 2^-24 goes up to 1 + 2^-22.
      {0x3F80'0000, 0x3380'0000, 0x3F80'0000, 0x3F80'0000},
      {0x3F80'0000, 0x3380'0000, 0x3F80'0001, 0x3F80'0002},
      // The tie is broken by 2^-149 * 2^-149, far below the last place of either side.
      {0x0000'0001, 0x0000'0001, 0x0000'0001, 0x0000'0001},
      {0x3380'0001, 0x3F80'0000, 0x3F80'0000, 0x3F80'0001},
      // 2^-149 * 0.5 is a tie with zero and goes to even; three halves go to 2.
      {0x0000'0001, 0x3F00'0000, 0x0000'0000, 0x0000'0000},
      {0x0000'0001, 0xBF00'0000, 0x0000'0000, 0x8000'0000},
      {0x0000'0003, 0x3F00'0000, 0x0000'0000, 0x0000'0002},
      // The greatest subnormal plus the least gives the least normal.
      {0x007F'FFFF, 0x3F80'0000, 0x0000'0001, 0x0080'0000},
      // Overflow: half a last place above the greatest finite value is infinity, less is not.
      {0x7F7F'FFFF, 0x3F80'0000, 0x7300'0000, 0x7F80'0000},
      {0x7F7F'FFFF, 0x3F80'0000, 0x72FF'FFFF, 0x7F7F'FFFF},
      // A product past the range comes back: max * 2 - max = max.
      {0x7F7F'FFFF, 0x4000'0000, 0xFF7F'FFFF, 0x7F7F'FFFF},
  };
  for (const FmaCase& one : cases) {
    EXPECT_EQ(fma_bits(one.a, one.b, one.c), one.expected)
        << std::hex << one.a << " * " << one.b << " + " << one.c;
  }
}

TEST(OracleFma, EveryTripleOfSpecialValuesAsTheHost) {
  const auto values = special_values();
  for (const std::uint32_t a : values) {
    for (const std::uint32_t b : values) {
      for (const std::uint32_t c : values) {
        ASSERT_EQ(fma_bits(a, b, c), host_bits(std::fma(host(a), host(b), host(c))))
            << std::hex << a << " * " << b << " + " << c;
      }
    }
  }
}

TEST(OracleFma, RandomTriplesAsTheHost) {
  RandomBits random(1);
  for (int round = 0; round < 3'000'000; ++round) {
    std::uint32_t a = random.bits();
    std::uint32_t b = random.bits();
    std::uint32_t c = random.bits();
    if (round % 4 != 0) {
      // An addend near the product, where alignment, cancellation and ties happen.
      a = random.near(127, 127);
      b = random.near(127, 127);
      const auto fields = static_cast<int>((a >> 23U) & 255U) + static_cast<int>((b >> 23U) & 255U);
      c = random.near(fields - 127, round % 4 == 1 ? 2 : 50);
    }
    ASSERT_EQ(fma_bits(a, b, c), host_bits(std::fma(host(a), host(b), host(c))))
        << std::hex << a << " * " << b << " + " << c;
  }
}

TEST(OracleProduct, SpecialAndRandomPairsAsTheHost) {
  const auto expect = [](std::uint32_t a, std::uint32_t b) {
    ASSERT_EQ(mul_bits(a, b), host_bits(host(a) * host(b))) << std::hex << a << " * " << b;
  };
  for (const std::uint32_t a : special_values()) {
    for (const std::uint32_t b : special_values()) expect(a, b);
  }
  RandomBits random(2);
  for (int round = 0; round < 1'000'000; ++round) {
    expect(random.bits(), random.bits());
    const std::uint32_t a = random.near(127, 127);
    // Products about the least normal, where subnormals round.
    expect(a, random.near(127 - static_cast<int>((a >> 23U) & 255U), 26));
  }
}

TEST(OracleQuotient, SpecialValuesByHand) {
  const FmaCase cases[] = {
      {0x3F80'0000, 0x4040'0000, 0, 0x3EAA'AAAB},  // 1 / 3
      {0x3F80'0000, 0x43E0'0000, 0, 0x3B12'4925},  // 1 / 448 (QNT-3)
      {0x3F80'0000, 0x40E0'0000, 0, 0x3E12'4925},  // 1 / 7 (QNT-3)
      {0x7F80'0000, 0x7F80'0000, 0, nan},          // NUM-7
      {0x0000'0000, 0x8000'0000, 0, nan},
      {0xBF80'0000, 0x0000'0000, 0, 0xFF80'0000},
      {0x3F80'0000, 0xFF80'0000, 0, 0x8000'0000},
      {0x0000'0001, 0x4000'0000, 0, 0x0000'0000},  // a tie with zero
      {0x0000'0003, 0x4000'0000, 0, 0x0000'0002},
      {0x0080'0000, 0x4000'0000, 0, 0x0040'0000},  // subnormals are kept
      {0x7F7F'FFFF, 0x3F00'0000, 0, 0x7F80'0000},
      {0x7F7F'FFFF, 0x0000'0001, 0, 0x7F80'0000},
  };
  for (const FmaCase& one : cases) {
    EXPECT_EQ(div_bits(one.a, one.b), one.expected) << std::hex << one.a << " / " << one.b;
  }
}

TEST(OracleQuotient, SpecialAndRandomPairsAsTheHost) {
  const auto expect = [](std::uint32_t a, std::uint32_t b) {
    ASSERT_EQ(div_bits(a, b), host_bits(host(a) / host(b))) << std::hex << a << " / " << b;
  };
  for (const std::uint32_t a : special_values()) {
    for (const std::uint32_t b : special_values()) expect(a, b);
  }
  RandomBits random(3);
  for (int round = 0; round < 1'000'000; ++round) {
    expect(random.bits(), random.bits());
    const std::uint32_t a = random.near(127, 127);
    expect(a, random.near(127 + static_cast<int>((a >> 23U) & 255U), 26));
  }
}

}  // namespace
}  // namespace chainwalk::oracle::test
