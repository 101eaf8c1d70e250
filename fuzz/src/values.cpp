// SPDX-License-Identifier: Apache-2.0
// Values that stand where two ways of computing part: ties, cancellations, borders of the formats
// (ARI-1 to ARI-3, NUM, QNT-2 to QNT-6).
#include "values.h"

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "chainwalk/generate/random.h"
#include "chainwalk/generate/values.h"
#include "chainwalk/spec/formats.h"
#include "layout.h"

namespace chainwalk::fuzz {
namespace {

using generate::Random;
using generate::Values;

std::uint32_t sign_of(Random& random) { return (random.word() & 1U) << 31U; }

// 2^power as bits of f32, -126 <= power <= 127.
constexpr std::uint32_t power_of_two(std::int64_t power) {
  return static_cast<std::uint32_t>(power + 127) << 23U;
}

// A magnitude of exponent field `exponent` and any fraction.
std::uint32_t with_exponent(std::uint32_t exponent, Random& random) {
  return sign_of(random) | (exponent << 23U) | (random.word() & 0x7F'FFFFU);
}

template <typename Word>
Word narrowed(float value) {
  if constexpr (std::is_same_v<Word, std::uint16_t>) return bf16_narrow(value);
  return static_cast<Word>(f32_bits(value));
}

float qmax_of(const ProblemShape& shape) {
  return shape.snapshot == SnapshotForm::int4 ? 7.0F : 448.0F;
}

// QNT-3: amax is qmax times a number half way between two bf16 numbers.
template <typename Word>
void fill_scale_tie(const ProblemShape& shape, Random& random, std::span<Word> row) {
  std::fill(row.begin(), row.end(), narrowed<Word>(0.25F));
  const float half_way = static_cast<float>(257U + 2U * random.below(127)) / 256.0F;
  row[random.below(row.size())] = narrowed<Word>(qmax_of(shape) * half_way);
}

// QNT-4: the scale has 8 significant bits, and quotients by it lie half way between two bf16
// numbers.
template <typename Word>
void fill_quotient_tie(const ProblemShape& shape, Random& random, std::span<Word> row) {
  const bool fp8 = shape.snapshot != SnapshotForm::int4;
  const float scale = static_cast<float>(128U + random.below(128)) / 128.0F;
  for (Word& value : row) {
    const auto odd = static_cast<std::uint32_t>(257U + 2U * random.below(127));
    const std::uint64_t shift = random.below(fp8 ? 9 : 3);
    const float half_way = static_cast<float>(odd << shift) / (fp8 ? 512.0F : 256.0F);
    value = narrowed<Word>(scale * half_way * 0.5F);
  }
  row[random.below(row.size())] = narrowed<Word>(scale * qmax_of(shape));
}

// QNT-2: the greatest magnitude twice or more, with either sign.
template <typename Word>
void fill_amax_tie(Random& random, std::span<Word> row) {
  generate::fill_row(Values::plain, false, random, row);
  const auto greatest = narrowed<Word>(static_cast<float>(8U + random.below(8)));
  constexpr unsigned sign_bit = 8 * sizeof(Word) - 1;
  for (int copy = 0; copy < 3; ++copy) {
    row[random.below(row.size())] =
        static_cast<Word>(greatest ^ static_cast<Word>((random.word() & 1U) << sign_bit));
  }
}

// QNT-3: amax times the reciprocal around and under the floor of 1e-12.
template <typename Word>
void fill_tiny(const ProblemShape& shape, Random& random, std::span<Word> row) {
  const bool nothing = random.one_in(4);
  for (Word& value : row) {
    const auto exponent = static_cast<std::uint32_t>(random.between(60, 88));
    value = narrowed<Word>(nothing ? 0.0F : f32_from_bits(with_exponent(exponent, random)));
  }
  if (random.one_in(2) && !nothing)
    row[random.below(row.size())] =
        narrowed<Word>(f32_from_bits(policy::scale_floor) * qmax_of(shape));
}

template <typename Word>
void fill_infinite(Random& random, std::span<Word> row) {
  generate::fill_row(Values::plain, false, random, row);
  for (Word& value : row) {
    if (!random.one_in(4)) continue;
    const bool nan = random.one_in(2);
    const std::uint32_t bits =
        sign_of(random) | 0x7F80'0000U | (nan ? 0x40'0000U | (random.word() & 0x3F'0000U) : 0U);
    value = static_cast<Word>(sizeof(Word) == 2 ? bits >> 16U : bits);
  }
}

template <typename Word>
void fill_bank(const Draw& draw, const ProblemShape& shape, std::uint64_t row,
               std::span<Word> bits) {
  Random random = words_of(draw, Use::bank, row);
  switch (draw.of(Axis::bank)) {
    case Feature::bank_special: return generate::fill_row(Values::special, false, random, bits);
    case Feature::bank_scale_tie: return fill_scale_tie(shape, random, bits);
    case Feature::bank_quotient_tie: return fill_quotient_tie(shape, random, bits);
    case Feature::bank_amax_tie: return fill_amax_tie(random, bits);
    case Feature::bank_tiny: return fill_tiny(shape, random, bits);
    case Feature::bank_infinite: return fill_infinite(random, bits);
    case Feature::bank_bits: return generate::fill_row(Values::bits, false, random, bits);
    default: return generate::fill_row(Values::plain, false, random, bits);
  }
}

// Powers of two far enough apart that a sum of two is a tie of f32, and odd numbers of 9 bits,
// which are ties of bf16 themselves.
std::uint32_t tie_value(Random& random) {
  static constexpr std::int64_t powers[] = {0, 0, 1, -24, -24, -23, -25, -8, -9};
  if (random.one_in(3)) {
    const float odd = static_cast<float>(257U + 2U * random.below(127)) / 256.0F;
    return f32_bits(odd) | sign_of(random);
  }
  return power_of_two(random.pick(powers)) | sign_of(random);
}

}  // namespace

void fill_bank_row(const Draw& draw, const ProblemShape& shape, std::uint64_t row,
                   std::span<std::uint16_t> bits) {
  fill_bank(draw, shape, row, bits);
}
void fill_bank_row(const Draw& draw, const ProblemShape& shape, std::uint64_t row,
                   std::span<std::uint32_t> bits) {
  fill_bank(draw, shape, row, bits);
}

void fill_token_row(const Draw& draw, std::uint64_t row, std::span<std::uint32_t> bits) {
  Random random = words_of(draw, Use::delta_v, row);
  const auto fill = [&](const auto& value) { std::generate(bits.begin(), bits.end(), value); };
  switch (draw.of(Axis::chain)) {
    case Feature::chain_tie: return fill([&] { return tie_value(random); });
    case Feature::chain_subnormal:
      return fill(
          [&] { return with_exponent(static_cast<std::uint32_t>(random.below(26)), random); });
    case Feature::chain_huge:
      return fill([&] {
        return with_exponent(static_cast<std::uint32_t>(random.between(250, 254)), random);
      });
    case Feature::chain_special: return generate::fill_row(Values::special, false, random, bits);
    case Feature::chain_bits: return generate::fill_row(Values::bits, false, random, bits);
    default: return generate::fill_row(Values::plain, false, random, bits);
  }
}

std::uint32_t scale_of(const Draw& draw, Random& random) {
  switch (draw.of(Axis::chain)) {
    case Feature::chain_tie: {
      static constexpr std::int64_t powers[] = {0, 0, 0, 1, -1};
      return power_of_two(random.pick(powers)) | sign_of(random);
    }
    case Feature::chain_subnormal:
      return with_exponent(static_cast<std::uint32_t>(random.between(110, 129)), random);
    case Feature::chain_huge:
      return with_exponent(static_cast<std::uint32_t>(random.between(125, 129)), random);
    case Feature::chain_special: return generate::draw_scale(Values::special, random);
    case Feature::chain_bits: return generate::draw_scale(Values::bits, random);
    default: return generate::draw_scale(Values::plain, random);
  }
}

std::uint32_t decay_of(const Draw& draw, Random& random) {
  switch (draw.of(Axis::decay)) {
    case Feature::decay_one:
    case Feature::decay_cancel: return 0x3F80'0000U;
    case Feature::decay_zero: return sign_of(random);
    case Feature::decay_special: return generate::draw_decay(Values::special, random);
    default: return generate::draw_decay(Values::plain, random);
  }
}

}  // namespace chainwalk::fuzz
