// SPDX-License-Identifier: Apache-2.0
// Random words as a function of a key alone: SplitMix64 started at a hash of (seed, index, what is
// drawn, which one). No std distribution: their results differ between libraries.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>

namespace chainwalk::generate {

constexpr std::uint64_t mix_word(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xBF58'476D'1CE4'E5B9U;
  word = (word ^ (word >> 27U)) * 0x94D0'49BB'1331'11EBU;
  return word ^ (word >> 31U);
}

class Random {
 public:
  // Streams of different keys are unrelated, so that a smaller problem keeps the words of what it
  // still has.
  constexpr Random(std::initializer_list<std::uint64_t> key) {
    for (const std::uint64_t part : key) state_ = mix_word(state_ + gamma + part) + part;
  }

  constexpr std::uint64_t next() {
    state_ += gamma;
    return mix_word(state_);
  }
  constexpr std::uint32_t word() { return static_cast<std::uint32_t>(next() >> 32U); }

  // 0..bound - 1, 1 <= bound <= 2^32.
  constexpr std::uint64_t below(std::uint64_t bound) { return ((next() >> 32U) * bound) >> 32U; }
  constexpr std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1U));
  }
  constexpr bool one_in(std::uint64_t bound) { return below(bound) == 0; }

  // True with probability `share`, 0..1: scaling by 2^53 is exact, so no rounding decides.
  constexpr bool with_share(double share) {
    return (next() >> 11U) < static_cast<std::uint64_t>(share * 0x1p53);
  }

  template <typename T, std::size_t size>
  constexpr T pick(const T (&list)[size]) {
    return list[below(size)];
  }

 private:
  static constexpr std::uint64_t gamma = 0x9E37'79B9'7F4A'7C15U;
  std::uint64_t state_ = 0;
};

// First part of a key after seed and index: what the words are for.
enum class Purpose : std::uint64_t { bank, delta_v, groups, slots, records, tiles, parameters };

}  // namespace chainwalk::generate
