// SPDX-License-Identifier: Apache-2.0
// The chip's arithmetic against IEEE 754 with the NaN of the specification, on special operands, on
// random ones, and on every operand where there is one (NUM-1, NUM-3, NUM-6, NUM-7, QNT-3, QNT-4).
#include <array>
#include <cmath>
#include <random>

#include "chainwalk/spec/formats.h"
#include "chip.h"
#include "on_gpu.h"

namespace chainwalk::cuda {
namespace {

using GpuNumerics = OnGpu;

constexpr std::size_t random_count = std::size_t{1} << 24U;
constexpr std::uint32_t sign_bit = 0x8000'0000U;

// Of either sign: zero, subnormals, normals at the borders of their range, around 1 and 448, at the
// roots of the greatest and least numbers, infinity, and NaN of every kind: quiet and signaling,
// with the least, the greatest and other payloads.
Words special_values() {
  constexpr std::array<std::uint32_t, 30> magnitudes = {
      0x0000'0000, 0x0000'0001, 0x0000'0002, 0x0040'0000, 0x007F'FFFF, 0x0080'0000,
      0x0080'0001, 0x00FF'FFFF, 0x0100'0000, 0x1FFF'FFFF, 0x2000'0000, 0x2B8C'BCCC,
      0x3380'0000, 0x3EAA'AAAB, 0x3F00'0000, 0x3F7F'FFFF, 0x3F80'0000, 0x3F80'0001,
      0x3FC0'0000, 0x4000'0000, 0x43E0'0000, 0x4B80'0000, 0x5F7F'FFFF, 0x5F80'0000,
      0x7E80'0000, 0x7F00'0000, 0x7F7F'FFFE, 0x7F7F'FFFF, 0x7F80'0000, 0x7FC0'0000};
  constexpr std::array<std::uint32_t, 6> other_nan = {0x7F80'0001, 0x7F81'2345, 0x7FBF'FFFF,
                                                      0x7FC0'0001, 0x7FC1'2345, 0x7FFF'FFFF};
  Words values;
  for (const std::uint32_t magnitude : magnitudes) values.push_back(magnitude);
  for (const std::uint32_t nan : other_nan) values.push_back(nan);
  const std::size_t positive = values.size();
  for (std::size_t i = 0; i < positive; ++i) values.push_back(values[i] | sign_bit);
  return values;
}

struct OperandLists {
  Words a, b, c;
  explicit OperandLists(std::size_t count) {
    for (Words* words : {&a, &b, &c}) words->reserve(count);
  }
  void add(std::uint32_t x, std::uint32_t y, std::uint32_t z = 0) {
    a.push_back(x);
    b.push_back(y);
    c.push_back(z);
  }
};

OperandLists special_pairs() {
  const Words values = special_values();
  OperandLists lists(values.size() * values.size());
  for (const std::uint32_t a : values) {
    for (const std::uint32_t b : values) lists.add(a, b);
  }
  return lists;
}

OperandLists special_triples() {
  const Words values = special_values();
  OperandLists lists(values.size() * values.size() * values.size());
  for (const std::uint32_t a : values) {
    for (const std::uint32_t b : values) {
      for (const std::uint32_t c : values) lists.add(a, b, c);
    }
  }
  return lists;
}

// Random bits with the exponent field given.
std::uint32_t with_exponent(std::uint32_t bits, int exponent) {
  return (bits & 0x807F'FFFFU) | static_cast<std::uint32_t>(exponent) << 23U;
}

// Draws of an operand list, a quarter each: any bits; exponents near that of 1; results among the
// subnormals; and, last, sums that cancel or quotients of subnormals.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  OperandLists triples(std::size_t count) {
    OperandLists lists(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t a = word();
      const std::uint32_t b = word();
      const std::uint32_t c = word();
      switch (i % 4) {
        case 0: lists.add(a, b, c); break;
        case 1: lists.add(near_one(a), near_one(b), near_one(c)); break;
        case 2: {
          const int exponent = below(100) + 2;
          lists.add(with_exponent(a, exponent), with_exponent(b, 104 - exponent + below(32)),
                    with_exponent(c, below(12)));
          break;
        }
        default: {
          const std::uint32_t x = near_one(a);
          const std::uint32_t y = near_one(b);
          const std::uint32_t product = f32_bits(f32_from_bits(x) * f32_from_bits(y));
          lists.add(x, y, (product ^ sign_bit) + static_cast<std::uint32_t>(below(5)) - 2U);
        }
      }
    }
    return lists;
  }

  OperandLists pairs(std::size_t count) {
    OperandLists lists(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t a = word();
      const std::uint32_t b = word();
      switch (i % 4) {
        case 0: lists.add(a, b); break;
        case 1: lists.add(near_one(a), near_one(b)); break;
        case 2: {
          const int exponent = below(100) + 1;
          lists.add(with_exponent(a, exponent), with_exponent(b, exponent + 122 + below(30)));
          break;
        }
        default: lists.add(with_exponent(a, 0), with_exponent(b, below(2) * (100 + below(60))));
      }
    }
    return lists;
  }

 private:
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }
  int below(int limit) { return static_cast<int>(word() % static_cast<std::uint32_t>(limit)); }
  std::uint32_t near_one(std::uint32_t bits) { return with_exponent(bits, 115 + below(25)); }

  std::mt19937_64 random_;
};

std::uint32_t stored(float value) { return f32_canonical(f32_bits(value)); }
std::uint32_t fused(const OperandBits& bits) {
  return stored(std::fma(f32_from_bits(bits.a), f32_from_bits(bits.b), f32_from_bits(bits.c)));
}
std::uint32_t product(const OperandBits& bits) {
  return stored(f32_from_bits(bits.a) * f32_from_bits(bits.b));
}
std::uint32_t quotient(const OperandBits& bits) {
  return stored(f32_from_bits(bits.a) / f32_from_bits(bits.b));
}
std::uint32_t maximum(const OperandBits& bits) {
  return f32_bits(max_number(f32_from_bits(bits.a), f32_from_bits(bits.b)));
}

TEST_F(GpuNumerics, FusedMultiplyAdd) {
  Chip chip;
  const OperandLists special = special_triples();
  compare_given(chip, Operation::fma, "fma, special operands", special.a, special.b, special.c,
                fused);
  const OperandLists random = Draws(1).triples(random_count);
  compare_given(chip, Operation::fma, "fma, random operands", random.a, random.b, random.c, fused);
}

template <class Needed>
void compare_pairs(Operation operation, const std::string& what, std::uint64_t seed,
                   const Needed& needed) {
  Chip chip;
  const OperandLists special = special_pairs();
  compare_given(chip, operation, what + ", special operands", special.a, special.b, {}, needed);
  const OperandLists random = Draws(seed).pairs(random_count);
  compare_given(chip, operation, what + ", random operands", random.a, random.b, {}, needed);
}

TEST_F(GpuNumerics, Product) { compare_pairs(Operation::multiply, "product", 2, product); }
TEST_F(GpuNumerics, Quotient) { compare_pairs(Operation::divide, "quotient", 3, quotient); }
// The special pairs hold each pair in either order.
TEST_F(GpuNumerics, Maximum) { compare_pairs(Operation::max, "maximum", 4, maximum); }

// Numbers and infinities have their signs' two ranges; NaN the rest.
TEST_F(GpuNumerics, ReciprocalOfEveryF32) {
  constexpr std::uint64_t first_nan = 0x7F80'0001U;
  Chip chip;
  const auto reciprocal = [](const OperandBits& bits) {
    return stored(1.0F / f32_from_bits(bits.a));
  };
  const auto compare_range = [&](const std::string& what, std::uint64_t begin, std::uint64_t end) {
    compare_counted(chip, Operation::reciprocal, "reciprocal, " + what, begin, end, reciprocal);
  };
  compare_range("+0 to infinity", 0, first_nan);
  compare_range("-0 to -infinity", sign_bit, sign_bit + first_nan);
  compare_range("NaN", first_nan, sign_bit);
  compare_range("NaN with the sign", sign_bit + first_nan, std::uint64_t{1} << 32U);
}

}  // namespace
}  // namespace chainwalk::cuda
