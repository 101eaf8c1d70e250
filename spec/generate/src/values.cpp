// SPDX-License-Identifier: Apache-2.0
// Special values and rows made of them (ARI, NUM, QNT-2 to QNT-6).
#include "chainwalk/generate/values.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <vector>

namespace chainwalk::generate {
namespace {

// bf16 and f32 differ in the fraction only: 7 and 23 bits under the same sign and exponent.
template <std::unsigned_integral Word>
struct Format {
  static constexpr unsigned fraction_bits = sizeof(Word) == 2 ? 7 : 23;
  static constexpr unsigned sign_bit = 8 * sizeof(Word) - 1;
  static constexpr std::uint32_t fraction_mask = (1U << fraction_bits) - 1U;

  static constexpr Word of(std::uint32_t sign, std::uint32_t exponent, std::uint32_t fraction) {
    return static_cast<Word>((sign << sign_bit) | (exponent << fraction_bits) |
                             (fraction & fraction_mask));
  }
  // The fraction whose leading 7 bits are `leading`.
  static constexpr std::uint32_t leading(std::uint32_t leading) {
    return leading << (fraction_bits - 7U);
  }
  // m * 2^power, m below 256: exact in both formats.
  static constexpr Word small(std::uint32_t sign, std::uint32_t m, int power) {
    if (m == 0) return of(sign, 0, 0);
    const int top = static_cast<int>(std::bit_width(m)) - 1;
    return of(sign, static_cast<std::uint32_t>(127 + top + power),
              leading((m << (7U - static_cast<unsigned>(top))) & 127U));
  }
};

// Finite specials: zeros, borders of the subnormals, ones, ties of the roundings to bf16, e4m3 and
// nibbles, the neighbourhood of 448 and 464, operands whose product is subnormal.
template <typename Word>
std::vector<Word> make_mild_list() {
  using F = Format<Word>;
  std::vector<Word> list;
  for (const std::uint32_t sign : {0U, 1U}) {
    list.insert(list.end(),
                {F::of(sign, 0, 0), F::of(sign, 0, 1), F::of(sign, 0, F::fraction_mask),
                 F::of(sign, 1, 0), F::of(sign, 1, 1), F::of(sign, 127, 0), F::of(sign, 126, 0),
                 F::of(sign, 127, 1), F::of(sign, 126, F::fraction_mask), F::of(sign, 64, 1),
                 F::of(sign, 63, F::fraction_mask), F::of(sign, 40, 0)});
    for (const std::uint32_t m : {3U, 5U, 7U, 9U, 13U, 15U, 17U, 19U, 25U, 31U}) {
      list.push_back(F::small(sign, m, -1));
      list.push_back(F::small(sign, m, -10));
    }
    for (const std::uint32_t m : {223U, 224U, 225U, 232U, 233U, 231U, 240U}) {
      list.push_back(F::small(sign, m, 1));
    }
    if constexpr (sizeof(Word) == 4) {
      for (const std::uint32_t low :
           {0x7FFFU, 0x8000U, 0x8001U, 0x1'7FFFU, 0x1'8000U, 0x1'8001U, 0x7F'7FFFU, 0x7F'8000U}) {
        list.push_back(F::of(sign, 127, low));
        list.push_back(F::of(sign, 0, low));
      }
    }
  }
  return list;
}

// Infinities, NaN of both kinds with payloads, and magnitudes at the top of the range.
template <typename Word>
std::vector<Word> make_wild_list() {
  using F = Format<Word>;
  constexpr std::uint32_t quiet = 1U << (F::fraction_bits - 1U);
  std::vector<Word> list;
  for (const std::uint32_t sign : {0U, 1U}) {
    list.insert(list.end(),
                {F::of(sign, 255, 0), F::of(sign, 255, quiet), F::of(sign, 255, quiet | 5U),
                 F::of(sign, 255, 1), F::of(sign, 255, quiet - 1U),
                 F::of(sign, 255, F::fraction_mask), F::of(sign, 254, F::fraction_mask),
                 F::of(sign, 254, 0), F::of(sign, 253, F::fraction_mask)});
    if constexpr (sizeof(Word) == 4) {
      // The last f32 that narrows to a finite bf16, the tie above it, and a NaN whose payload a
      // truncation to bf16 would lose.
      list.insert(list.end(), {F::of(sign, 254, 0x7F'7FFFU), F::of(sign, 254, 0x7F'8000U),
                               F::of(sign, 255, 0x1234U)});
    }
  }
  return list;
}

template <typename Word>
const std::vector<Word>& mild_list() {
  static const std::vector<Word> list = make_mild_list<Word>();
  return list;
}
template <typename Word>
const std::vector<Word>& wild_list() {
  static const std::vector<Word> list = make_wild_list<Word>();
  return list;
}

template <typename Word>
Word pick_from(const std::vector<Word>& list, Random& random) {
  return list[random.below(list.size())];
}

// Magnitudes of 1/8 to 4.
template <typename Word>
Word plain(Random& random) {
  const std::uint64_t bits = random.next();
  const auto exponent = static_cast<std::uint32_t>(124U + (bits >> 32U) % 5U);
  return Format<Word>::of(static_cast<std::uint32_t>(bits >> 63U), exponent,
                          static_cast<std::uint32_t>(bits));
}

template <typename Word>
Word any_bits(Random& random) {
  return static_cast<Word>(random.next() >> (64U - 8U * sizeof(Word)));
}

template <typename Word>
Word wide(Random& random) {
  const std::uint64_t bits = random.next();
  return Format<Word>::of(static_cast<std::uint32_t>(bits >> 63U),
                          static_cast<std::uint32_t>(20U + (bits >> 32U) % 200U),
                          static_cast<std::uint32_t>(bits));
}

// Multiples of 1/4 up to 4: sums of them cancel exactly, or all but one unit in the last place.
template <typename Word>
Word lattice(Random& random) {
  const auto value =
      Format<Word>::small(random.word() & 1U, static_cast<std::uint32_t>(random.below(17)), -2);
  return static_cast<Word>(value + (random.one_in(16) ? 1U : 0U));
}

template <typename Word>
Word mild(Random& random) {
  return random.one_in(4) ? wide<Word>(random) : pick_from(mild_list<Word>(), random);
}

template <typename Word>
void fill_scaled(Random& random, std::span<Word> row) {
  const auto lowest = static_cast<std::uint32_t>(random.between(1, 249));
  for (Word& value : row) {
    value = Format<Word>::of(random.word() & 1U,
                             lowest + static_cast<std::uint32_t>(random.below(5)), random.word());
  }
}

// A row whose greatest magnitude makes the quantizer's scale a power of two, so that many
// quotients are ties of e4m3 or of the nibbles (QNT-3 to QNT-6); the greatest may appear with
// either sign and more than once.
template <typename Word>
void fill_quantizer_ties(Random& random, std::span<Word> row) {
  const auto power = static_cast<int>(random.between(-40, 40));
  const bool fp8 = random.one_in(2);
  for (Word& value : row) {
    const std::uint32_t sign = random.word() & 1U;
    const auto m = static_cast<std::uint32_t>(random.below(fp8 ? 32 : 15));
    const int shift = fp8 ? static_cast<int>(random.between(-13, 4)) : -1;
    value = Format<Word>::small(sign, m, power + shift);
    if (sizeof(Word) == 4 && random.one_in(4)) value = static_cast<Word>(value ^ 1U);
  }
  const Word greatest = Format<Word>::small(random.word() & 1U, 7, power + (fp8 ? 6 : 0));
  const std::uint64_t copies = 1 + random.below(2);
  for (std::uint64_t copy = 0; copy < copies; ++copy) {
    row[random.below(row.size())] =
        static_cast<Word>(greatest ^ (Word{copy != 0} << Format<Word>::sign_bit));
  }
}

template <typename Word>
void fill_cycle(Random& random, std::span<Word> row) {
  const auto& mild_values = mild_list<Word>();
  const auto& wild_values = wild_list<Word>();
  const std::size_t size = mild_values.size() + wild_values.size();
  std::size_t next = random.below(size);
  for (Word& value : row) {
    value = next < mild_values.size() ? mild_values[next] : wild_values[next - mild_values.size()];
    next = next + 1 == size ? 0 : next + 1;
  }
}

template <typename Word, typename Draw>
void fill_with(std::span<Word> row, const Draw& draw) {
  std::generate(row.begin(), row.end(), draw);
}

template <typename Word>
void fill_special_row(Random& random, std::span<Word> row) {
  switch (random.below(16)) {
    case 0: return fill_scaled(random, row);
    case 1: return fill_cycle(random, row);
    case 2: return fill_with(row, [&] { return any_bits<Word>(random); });
    case 3: {
      const Word value = random.one_in(4) ? Word{0} : mild<Word>(random);
      return fill_with(row, [&] { return value; });
    }
    case 4:
    case 5: return fill_quantizer_ties(random, row);
    case 6:
    case 7: return fill_with(row, [&] { return lattice<Word>(random); });
    case 8:
    case 9: return fill_with(row, [&] { return mild<Word>(random); });
    case 10:
      return fill_with(row, [&] {
        if (random.one_in(8)) return pick_from(wild_list<Word>(), random);
        return random.one_in(2) ? mild<Word>(random) : plain<Word>(random);
      });
    case 11:
    case 12:
      return fill_with(row,
                       [&] { return random.one_in(4) ? mild<Word>(random) : plain<Word>(random); });
    default: return fill_with(row, [&] { return plain<Word>(random); });
  }
}

template <typename Word>
void fill_any(Values values, bool cycle, Random& random, std::span<Word> row) {
  switch (values) {
    case Values::plain: return fill_with(row, [&] { return plain<Word>(random); });
    case Values::bits: return fill_with(row, [&] { return any_bits<Word>(random); });
    case Values::special: break;
  }
  return cycle ? fill_cycle(random, row) : fill_special_row(random, row);
}

}  // namespace

void fill_row(Values values, bool cycle, Random& random, std::span<std::uint16_t> row) {
  fill_any(values, cycle, random, row);
}
void fill_row(Values values, bool cycle, Random& random, std::span<std::uint32_t> row) {
  fill_any(values, cycle, random, row);
}

std::uint32_t draw_scale(Values values, Random& random) {
  using Word = std::uint32_t;
  if (values == Values::plain) return plain<Word>(random);
  if (values == Values::bits) return any_bits<Word>(random);
  switch (random.below(16)) {
    case 0: return Format<Word>::of(random.word() & 1U, 127, 0);
    case 1: return Format<Word>::of(0, 127, 0);
    case 2:
    case 3: return mild<Word>(random);
    case 4:
    case 5: return lattice<Word>(random);
    case 6: return random.one_in(4) ? pick_from(wild_list<Word>(), random) : wide<Word>(random);
    default: return plain<Word>(random);
  }
}

std::uint32_t draw_decay(Values values, Random& random) {
  // A trained layer's decays lie in (0, 1].
  if (values == Values::plain || (values == Values::special && random.one_in(2))) {
    return random.one_in(4)
               ? 0x3F80'0000U
               : Format<std::uint32_t>::of(0, static_cast<std::uint32_t>(random.between(118, 126)),
                                           random.word());
  }
  return draw_scale(values, random);
}

}  // namespace chainwalk::generate
