// SPDX-License-Identifier: Apache-2.0
// Operands for tests of arithmetic: special f32 patterns and a deterministic stream of random ones.
#pragma once

#include <array>
#include <cstdint>

namespace chainwalk::oracle::test {

// Magnitudes where something changes: zeros, the ends of subnormals and normals, ties, infinity,
// quiet and signalling NaN. Tests use both signs.
inline constexpr std::array<std::uint32_t, 30> special_magnitudes{
    0x0000'0000U, 0x0000'0001U, 0x0000'0002U, 0x0000'0003U, 0x0040'0000U, 0x007F'FFFFU,
    0x0080'0000U, 0x0080'0001U, 0x0100'0000U, 0x1F80'0000U, 0x2000'0000U, 0x3380'0000U,
    0x3400'0000U, 0x3EFF'FFFFU, 0x3F00'0000U, 0x3F00'0001U, 0x3F7F'FFFFU, 0x3F80'0000U,
    0x3F80'0001U, 0x3FC0'0000U, 0x4040'0000U, 0x4B00'0001U, 0x4B80'0000U, 0x5F00'0000U,
    0x7E80'0000U, 0x7F00'0000U, 0x7F7F'FFFFU, 0x7F80'0000U, 0x7F80'0001U, 0x7FC1'2345U};

// SplitMix64.
class RandomBits {
 public:
  explicit RandomBits(std::uint64_t seed) : state_(seed) {}

  std::uint32_t bits() {
    state_ += 0x9E37'79B9'7F4A'7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D0'49BB'1331'11EBU;
    return static_cast<std::uint32_t>((mixed ^ (mixed >> 31U)) >> 32U);
  }

  // An f32 whose exponent field is in [field - spread, field + spread], kept within 0..254, and
  // whose fraction has few ones as often as many, so that ties and carries are met.
  std::uint32_t near(int field, int spread) {
    const std::uint32_t draw = bits();
    int exponent =
        field - spread + static_cast<int>(bits() % static_cast<unsigned>(2 * spread + 1));
    exponent = exponent < 0 ? 0 : (exponent > 254 ? 254 : exponent);
    std::uint32_t fraction = draw & 0x7F'FFFFU;
    switch (bits() % 4U) {
      case 0: fraction &= bits() & bits(); break;
      case 1: fraction |= (bits() | bits()) & 0x7F'FFFFU; break;
      case 2: fraction &= 0x7F'FFFFU << (bits() % 23U); break;
      default: break;
    }
    return (draw & 0x8000'0000U) | (static_cast<std::uint32_t>(exponent) << 23U) |
           (fraction & 0x7F'FFFFU);
  }

 private:
  std::uint64_t state_;
};

}  // namespace chainwalk::oracle::test
