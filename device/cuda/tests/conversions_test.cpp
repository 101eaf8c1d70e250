// SPDX-License-Identifier: Apache-2.0
// The chip's conversions against the specification's, every input of each (NUM-4, NUM-5, QNT-3 to
// QNT-6).
#include <cmath>

#include "chainwalk/spec/formats.h"
#include "chip.h"
#include "on_gpu.h"

namespace chainwalk::cuda {
namespace {

using GpuNumerics = OnGpu;

constexpr std::uint64_t every_f32 = std::uint64_t{1} << 32U;
constexpr std::uint64_t every_bf16 = std::uint64_t{1} << 16U;

std::uint32_t narrowed(std::uint32_t bits) { return bf16_narrow(f32_from_bits(bits)); }

TEST_F(GpuNumerics, NarrowingOfEveryF32) {
  Chip chip;
  EXPECT_EQ(compare_counted(chip, Operation::narrow, "f32 to bf16", 0, every_f32,
                            [](const OperandBits& bits) { return narrowed(bits.a); }),
            every_f32);
  EXPECT_EQ(compare_counted(
                chip, Operation::narrow_pair, "two f32 to two bf16", 0, every_f32,
                [](const OperandBits& bits) { return narrowed(bits.a) | narrowed(bits.b) << 16U; }),
            every_f32);
}

TEST_F(GpuNumerics, WideningOfEveryBf16) {
  Chip chip;
  const auto widened = [](std::uint32_t half) {
    return f32_bits(bf16_widen(static_cast<std::uint16_t>(half)));
  };
  compare_counted(chip, Operation::widen, "bf16 to f32", 0, every_bf16,
                  [&](const OperandBits& bits) { return widened(bits.a); });
  // The other half of the pair is not looked at, whatever it holds.
  Words low, high;
  for (std::uint32_t half = 0; half < every_bf16; ++half) {
    low.push_back((half * 0x9E37U) << 16U | half);
    high.push_back(half << 16U | ((half * 0x9E37U) & 0xFFFFU));
  }
  compare_given(chip, Operation::widen_low, "bf16 to f32, low half of a pair", low, {}, {},
                [&](const OperandBits& bits) { return widened(bits.a & 0xFFFFU); });
  compare_given(chip, Operation::widen_high, "bf16 to f32, high half of a pair", high, {}, {},
                [&](const OperandBits& bits) { return widened(bits.a >> 16U); });
}

// Every q, which is a bf16, in both places of a pair; its neighbour there is another q.
TEST_F(GpuNumerics, CodesOfEveryQ) {
  Chip chip;
  Words q, other;
  for (std::uint32_t bits = 0; bits < every_bf16; ++bits) {
    q.push_back(bits << 16U);
    other.push_back((bits * 0x9E37U) << 16U);
  }
  const auto e4m3 = [](std::uint32_t bits) {
    return static_cast<std::uint32_t>(e4m3_from_f32(f32_from_bits(bits)));
  };
  const auto nibble = [](std::uint32_t bits) {
    return static_cast<std::uint32_t>(nibble_from_f32(f32_from_bits(bits)));
  };
  compare_given(chip, Operation::e4m3_pair, "q to e4m3, one code", q, {}, {},
                [&](const OperandBits& bits) { return e4m3(bits.a); });
  compare_given(chip, Operation::e4m3_pair, "q to e4m3, low byte of two", q, other, {},
                [&](const OperandBits& bits) { return e4m3(bits.a) | e4m3(bits.b) << 8U; });
  compare_given(chip, Operation::e4m3_pair, "q to e4m3, high byte of two", other, q, {},
                [&](const OperandBits& bits) { return e4m3(bits.a) | e4m3(bits.b) << 8U; });
  compare_given(chip, Operation::nibble, "q to a nibble", q, {}, {},
                [&](const OperandBits& bits) { return nibble(bits.a); });
  compare_given(chip, Operation::nibble_pair, "q to a nibble, high one of a byte", q, other, {},
                [&](const OperandBits& bits) { return nibble(bits.a) << 4U | nibble(bits.b); });
  compare_given(chip, Operation::nibble_pair, "q to a nibble, low one of a byte", other, q, {},
                [&](const OperandBits& bits) { return nibble(bits.a) << 4U | nibble(bits.b); });
}

// QNT-3, of every amax: the f32 from +0 to infinity.
TEST_F(GpuNumerics, ScaleOfEveryAmax) {
  Chip chip;
  const auto scale = [](std::uint32_t amax, std::uint32_t reciprocal) {
    const float exact = f32_from_bits(amax) * f32_from_bits(reciprocal);
    return f32_bits(bf16_round(max_number(exact, f32_from_bits(policy::scale_floor))));
  };
  constexpr std::uint64_t end = 0x7F80'0001U;
  compare_counted(
      chip, Operation::scale_fp8, "scale of an amax, fp8", 0, end,
      [&](const OperandBits& bits) { return scale(bits.a, policy::fp8_reciprocal_qmax); });
  compare_counted(
      chip, Operation::scale_int4, "scale of an amax, int4", 0, end,
      [&](const OperandBits& bits) { return scale(bits.a, policy::int4_reciprocal_qmax); });
}

// QNT-4 to QNT-6 of bf16 rows, whose kernels multiply by a reciprocal: every x with every scale
// that can be its row's, from 2^-40 to 2^126 and infinity.
TEST_F(GpuNumerics, PayloadCodesOfEveryBf16ByEveryScale) {
  Chip chip;
  const auto codes = [](const OperandBits& bits) -> std::optional<std::uint32_t> {
    const float x = bf16_widen(static_cast<std::uint16_t>(bits.a & 0xFFFFU));
    const float scale = bf16_widen(static_cast<std::uint16_t>(bits.a >> 16U));
    // amax bounds every x of a row, and the scale is within 2^-8 of amax / qmax: infinite with it.
    if (std::isfinite(scale) && (std::isinf(x) || std::fabs(x) > 452.0F * scale)) return {};
    const float q = bf16_round(x / scale);
    return e4m3_from_f32(q) | static_cast<std::uint32_t>(nibble_from_f32(q)) << 8U;
  };
  constexpr std::uint64_t least = 0x2B80'0000U;
  constexpr std::uint64_t infinite = 0x7F80'0000U;
  EXPECT_GT(compare_counted(chip, Operation::payload_codes, "codes of a bf16 by a scale", least,
                            0x7E80'0000U, codes),
            std::uint64_t{1} << 29U);
  EXPECT_EQ(compare_counted(chip, Operation::payload_codes, "codes of a bf16 by infinity", infinite,
                            infinite + every_bf16, codes),
            every_bf16);
}

}  // namespace
}  // namespace chainwalk::cuda
