// SPDX-License-Identifier: Apache-2.0
// Scale and payload of one snapshot row (QNT-2 to QNT-6, QNT-10, NUM-7).
#include "quantized_row.h"

#include <cstddef>

#include "chainwalk/oracle/arithmetic.h"

namespace chainwalk::oracle {
namespace {

constexpr std::uint32_t one_448th = 0x3B12'4925U;
constexpr std::uint32_t one_7th = 0x3E12'4925U;
constexpr std::uint32_t least_scale = 0x2B8C'BCCCU;
constexpr std::uint32_t infinity = 0x7F80'0000U;

std::uint32_t rounded_to_bf16(std::uint32_t f32) { return widen_bits(narrow_bits(f32)); }

// QNT-4: q of one column.
std::uint32_t quotient(std::span<const std::uint32_t> row, std::uint32_t scale,
                       std::int64_t column) {
  return rounded_to_bf16(div_bits(row[static_cast<std::size_t>(column)], scale));
}

}  // namespace

std::uint32_t row_scale(std::span<const std::uint32_t> row, SnapshotForm form) {
  // Without their sign, patterns up to infinity order as the values do; NaN patterns come after.
  std::uint32_t amax = 0U;
  for (const std::uint32_t bits : row) {
    const std::uint32_t magnitude = bits & 0x7FFF'FFFFU;
    if (magnitude <= infinity && magnitude > amax) amax = magnitude;
  }
  const std::uint32_t scaled = mul_bits(amax, form == SnapshotForm::fp8 ? one_448th : one_7th);
  return rounded_to_bf16(scaled > least_scale ? scaled : least_scale);
}

std::uint8_t payload_byte(std::span<const std::uint32_t> row, std::uint32_t scale,
                          SnapshotForm form, std::int64_t index) {
  if (form == SnapshotForm::fp8) return e4m3_bits(quotient(row, scale, index));
  const std::int64_t even = 2 * index;
  const std::int64_t odd = even + 1;
  const unsigned high = nibble_bits(quotient(row, scale, even));
  const unsigned low =
      odd < static_cast<std::int64_t>(row.size()) ? nibble_bits(quotient(row, scale, odd)) : 0U;
  return static_cast<std::uint8_t>((high << 4U) | low);
}

}  // namespace chainwalk::oracle
