// SPDX-License-Identifier: Apache-2.0
// Arithmetic on integers: every operation forms an exact value, or one that rounds alike, and one
// function rounds it to a format (NUM-1, NUM-3 to NUM-7, QNT-6).
#include "chainwalk/oracle/arithmetic.h"

namespace chainwalk::oracle {
namespace {

__extension__ using Wide = unsigned __int128;

// A binary format: sign, exponent field, `fraction_bits` bits of fraction. Codes of magnitudes grow
// with the magnitude; `overflow` is the code that stands for everything past the last finite value.
struct Format {
  int fraction_bits;
  int least_exponent;  // of the least subnormal: 2^least_exponent
  std::uint32_t overflow;
};
constexpr Format f32_format{23, -149, 0x7F80'0000U};
constexpr Format bf16_format{7, -133, 0x7F80U};
constexpr Format e4m3_format{3, -9, 0x7EU};  // 448: saturates

constexpr std::uint32_t canonical_nan = 0x7FFF'FFFFU;
constexpr std::uint32_t infinity = 0x7F80'0000U;
constexpr std::uint32_t sign_mask = 0x8000'0000U;

bool is_nan(std::uint32_t bits) { return (bits & ~sign_mask) > infinity; }
bool is_infinity(std::uint32_t bits) { return (bits & ~sign_mask) == infinity; }
bool is_zero(std::uint32_t bits) { return (bits & ~sign_mask) == 0U; }

// (-1)^negative * magnitude * 2^exponent.
struct Exact {
  bool negative;
  Wide magnitude;
  int exponent;
};

// The value of a finite f32.
Exact value_of(std::uint32_t bits) {
  const bool negative = (bits & sign_mask) != 0U;
  const auto field = static_cast<int>((bits >> 23U) & 255U);
  const std::uint32_t fraction = bits & 0x7F'FFFFU;
  if (field == 0) return {negative, fraction, -149};
  return {negative, fraction | 0x80'0000U, field - 150};
}

// Index of the highest bit that is set; magnitude is not 0.
int top_bit(Wide magnitude) {
  const auto high = static_cast<std::uint64_t>(magnitude >> 64U);
  const auto low = static_cast<std::uint64_t>(magnitude);
  return high != 0U ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

// magnitude / 2^shift to the nearest integer, ties to even; a negative shift multiplies.
Wide divide_by_power(Wide magnitude, int shift) {
  if (shift <= 0) return magnitude << static_cast<unsigned>(-shift);
  if (shift > top_bit(magnitude | 1U) + 1) return 0U;  // less than one half
  const Wide half = Wide{1} << static_cast<unsigned>(shift - 1);
  const Wide rest = magnitude & (half + half - 1U);
  Wide quotient = magnitude >> static_cast<unsigned>(shift);
  if (rest > half || (rest == half && (quotient & 1U) != 0U)) ++quotient;
  return quotient;
}

// The one rounding: code of the magnitude of `value` in `format`, without its sign.
std::uint32_t round_to(const Format& format, const Exact& value) {
  if (value.magnitude == 0U) return 0U;
  const int top_exponent = top_bit(value.magnitude) + value.exponent;
  // Exponent of the result's last place; subnormals all share the least one.
  int place = top_exponent - format.fraction_bits;
  if (place < format.least_exponent) place = format.least_exponent;
  const auto places =
      static_cast<std::uint32_t>(divide_by_power(value.magnitude, place - value.exponent));
  // A significand with its leading bit carries 1 into the exponent field; so does one that rounding
  // has doubled. Subnormals carry nothing. The greatest quotient has place 254: no code overflows.
  const auto field = static_cast<std::uint32_t>(place - format.least_exponent);
  const std::uint32_t code = (field << static_cast<unsigned>(format.fraction_bits)) + places;
  return code > format.overflow ? format.overflow : code;
}

std::uint32_t round_to_f32(const Exact& value) {
  return round_to(f32_format, value) | (value.negative ? sign_mask : 0U);
}

Exact product(std::uint32_t a, std::uint32_t b) {
  const Exact left = value_of(a);
  const Exact right = value_of(b);
  return {left.negative != right.negative, left.magnitude * right.magnitude,
          left.exponent + right.exponent};
}

// The same value with its highest bit at bit `top`, at or above where it is; magnitude is not 0.
Exact lifted(const Exact& value, int top) {
  const int shift = top - top_bit(value.magnitude);
  return {value.negative, value.magnitude << static_cast<unsigned>(shift), value.exponent - shift};
}

// Sum of two values of at most 48 significant bits, neither 0, exact or close enough to round. Bits
// fall off the smaller one only where all of it lies below every bit of the larger and below the
// last place of the result: there it can do no more than break a tie or a carry, for which it
// matters that something is left, not how much. A smaller one that would fall off whole leaves 1.
Exact sum(const Exact& a, const Exact& b) {
  Exact large = lifted(a, 100);
  Exact small = lifted(b, 100);
  if (small.exponent > large.exponent ||
      (small.exponent == large.exponent && small.magnitude > large.magnitude)) {
    const Exact other = large;
    large = small;
    small = other;
  }
  const int distance = large.exponent - small.exponent;
  const Wide aligned = distance <= 100 ? small.magnitude >> static_cast<unsigned>(distance) : 1U;
  if (large.negative == small.negative) {
    return {large.negative, large.magnitude + aligned, large.exponent};
  }
  const Wide difference = large.magnitude - aligned;
  // Equal magnitudes of two signs give +0 in round to nearest.
  return {large.negative && difference != 0U, difference, large.exponent};
}

}  // namespace

std::uint32_t fma_bits(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return canonical_nan;
  const std::uint32_t product_sign = (a ^ b) & sign_mask;
  if (is_infinity(a) || is_infinity(b)) {
    if (is_zero(a) || is_zero(b)) return canonical_nan;
    if (is_infinity(c) && (c & sign_mask) != product_sign) return canonical_nan;
    return product_sign | infinity;
  }
  if (is_infinity(c)) return c;
  if (is_zero(a) || is_zero(b)) {
    if (!is_zero(c)) return c;
    return product_sign & c;  // -0 only where both are
  }
  if (is_zero(c)) return round_to_f32(product(a, b));
  return round_to_f32(sum(product(a, b), value_of(c)));
}

std::uint32_t mul_bits(std::uint32_t a, std::uint32_t b) {
  if (is_nan(a) || is_nan(b)) return canonical_nan;
  if (is_infinity(a) || is_infinity(b)) {
    if (is_zero(a) || is_zero(b)) return canonical_nan;
    return ((a ^ b) & sign_mask) | infinity;
  }
  return round_to_f32(product(a, b));
}

std::uint32_t div_bits(std::uint32_t a, std::uint32_t b) {
  if (is_nan(a) || is_nan(b)) return canonical_nan;
  const std::uint32_t sign = (a ^ b) & sign_mask;
  if (is_infinity(a)) return is_infinity(b) ? canonical_nan : (sign | infinity);
  if (is_infinity(b)) return sign;
  if (is_zero(b)) return is_zero(a) ? canonical_nan : (sign | infinity);
  if (is_zero(a)) return sign;
  // At least 27 bits of quotient; a remainder leaves a sticky bit, below the bit that decides a
  // tie.
  const Exact dividend = lifted(value_of(a), 50);
  const Exact divisor = value_of(b);
  const Wide quotient = dividend.magnitude / divisor.magnitude;
  const bool inexact = quotient * divisor.magnitude != dividend.magnitude;
  return round_to_f32(
      {sign != 0U, quotient | (inexact ? 1U : 0U), dividend.exponent - divisor.exponent});
}

std::uint16_t narrow_bits(std::uint32_t f32) {
  if (is_nan(f32)) return 0x7FFFU;
  const std::uint32_t sign = (f32 & sign_mask) >> 16U;
  if (is_infinity(f32)) return static_cast<std::uint16_t>(sign | 0x7F80U);
  return static_cast<std::uint16_t>(sign | round_to(bf16_format, value_of(f32)));
}

std::uint32_t widen_bits(std::uint16_t bf16) { return static_cast<std::uint32_t>(bf16) << 16U; }

std::uint8_t e4m3_bits(std::uint32_t f32) {
  if (is_nan(f32)) return 0x7FU;
  const std::uint32_t sign = (f32 & sign_mask) >> 24U;
  if (is_infinity(f32)) return static_cast<std::uint8_t>(sign | 0x7EU);
  return static_cast<std::uint8_t>(sign | round_to(e4m3_format, value_of(f32)));
}

std::uint8_t nibble_bits(std::uint32_t f32) {
  if (is_nan(f32)) return 7U;
  const bool negative = (f32 & sign_mask) != 0U;
  const unsigned limit = negative ? 8U : 7U;
  unsigned magnitude = limit;
  // 2^4 and above is past either limit, infinity included.
  if ((f32 & ~sign_mask) < 0x4180'0000U) {
    const Exact value = value_of(f32);
    const auto rounded = static_cast<unsigned>(divide_by_power(value.magnitude, -value.exponent));
    if (rounded < limit) magnitude = rounded;
  }
  return static_cast<std::uint8_t>((negative ? 16U - magnitude : magnitude) & 15U);
}

}  // namespace chainwalk::oracle
