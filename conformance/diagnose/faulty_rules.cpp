// SPDX-License-Identifier: Apache-2.0
// What each wrong rule does instead.
#include "faulty_rules.h"

#include <algorithm>
#include <limits>

namespace chainwalk::conformance {
namespace {

std::uint16_t ties_away(float value) {
  const std::uint32_t bits = f32_bits(value);
  return f32_is_nan(bits) ? policy::bf16_nan : static_cast<std::uint16_t>((bits + 0x8000U) >> 16U);
}

}  // namespace

std::uint32_t FaultyRules::slot(std::span<const Record> members) const {
  // Members before a LAST, and an INVALID LAST, may hold any slot (REC-5); one outside the bank is
  // brought inside.
  const Record& record = is(Wrong::slot_of_first) ? members.front() : members.back();
  return record.slot % slots();
}

float FaultyRules::output(float base, float decay, float accumulator) const {
  if (is(Wrong::base_ignored)) base = 0.0F;
  if (is(Wrong::decay_on_sum)) accumulator = accumulator * decay;
  if (is(Wrong::decay_ignored)) decay = 1.0F;
  if (is(Wrong::flush_inputs)) {
    base = flushed(base);
    decay = flushed(decay);
  }
  const float out = is(Wrong::output_unfused) ? unfused(base, decay, accumulator)
                                              : std::fma(base, decay, accumulator);
  return is(Wrong::flush_outputs) ? flushed(out) : out;
}

std::uint32_t FaultyRules::nan_bits(std::uint32_t bits) const {
  if (is(Wrong::nan_payload_kept)) return bits | 0x0040'0000U;
  return is(Wrong::nan_default_quiet) ? 0x7FC0'0000U : policy::f32_nan;
}

std::uint16_t FaultyRules::store_bf16(float out) const {
  const std::uint32_t bits = f32_bits(out);
  if (f32_is_nan(bits)) return static_cast<std::uint16_t>(nan_bits(bits) >> 16U);
  if (is(Wrong::store_truncates)) return truncated(out);
  if (is(Wrong::store_ties_away)) return ties_away(out);
  const std::uint16_t stored = bf16_narrow(out);
  const bool infinite = (stored & 0x7FFFU) == 0x7F80U;
  if (is(Wrong::store_saturates) && infinite)
    return static_cast<std::uint16_t>((stored & 0x8000U) | 0x7F7FU);
  return stored;
}

std::uint32_t FaultyRules::store_f32(float out) const {
  const std::uint32_t bits = f32_bits(out);
  if (f32_is_nan(bits)) return nan_bits(bits);
  if (is(Wrong::store_f32_as_bf16)) return f32_bits(bf16_round(out));
  const bool infinite = (bits & 0x7FFF'FFFFU) == 0x7F80'0000U;
  if (is(Wrong::store_saturates) && infinite) return (bits & 0x8000'0000U) | 0x7F7F'FFFFU;
  return bits;
}

reference::ColumnRange FaultyRules::columns(const ProblemShape& shape, std::int64_t slot,
                                            ColumnRange asked) const {
  if (is(Wrong::last_column_missed)) asked.end = std::min(asked.end, shape.head_dim - 1);
  if (is(Wrong::column_leaked) && asked.end == shape.head_dim && slot + 1 < shape.slots) {
    asked.end += 1;
  }
  return asked;
}

std::int64_t FaultyRules::snapshot_row(const ProblemShape& shape, std::int64_t step,
                                       std::int64_t stream, std::int64_t ordinal) const {
  if (is(Wrong::ordinal_off_by_one)) ordinal += 1;
  if (is(Wrong::snapshot_chunk_ignored)) step = 0;
  return SpecRules::snapshot_row(shape, step, stream, ordinal) % shape.snapshot_rows();
}

float FaultyRules::amax(float greatest, float base) const {
  const bool infinite = (f32_bits(base) & 0x7FFF'FFFFU) == 0x7F80'0000U;
  if (is(Wrong::amax_skips_infinity) && infinite) return greatest;
  if (is(Wrong::amax_takes_nan) && (f32_is_nan(f32_bits(base)) || f32_is_nan(f32_bits(greatest)))) {
    return f32_from_bits(policy::f32_nan);
  }
  if (is(Wrong::amax_signed)) return max_number(greatest, base);
  return SpecRules::amax(greatest, base);
}

float FaultyRules::quantizer_scale(float amax, SnapshotForm form) const {
  const float reciprocal = f32_from_bits(form == SnapshotForm::fp8 ? policy::fp8_reciprocal_qmax
                                                                   : policy::int4_reciprocal_qmax);
  float scale = amax * reciprocal;
  if (is(Wrong::scale_divides)) scale = amax / (form == SnapshotForm::fp8 ? 448.0F : 7.0F);
  if (is(Wrong::int4_qmax_eight) && form == SnapshotForm::int4) scale = amax * 0.125F;
  if (!is(Wrong::scale_no_floor)) scale = max_number(scale, f32_from_bits(policy::scale_floor));
  return is(Wrong::scale_unrounded) ? scale : bf16_round(scale);
}

float FaultyRules::quotient(float base, float scale) const {
  const float quotient = is(Wrong::quotient_by_reciprocal) ? base * (1.0F / scale) : base / scale;
  return is(Wrong::quotient_unrounded) ? quotient : bf16_round(quotient);
}

std::uint8_t FaultyRules::e4m3(float quotient) const {
  const std::uint32_t bits = f32_bits(quotient);
  std::uint8_t code = e4m3_from_f32(quotient);
  if (is(Wrong::e4m3_flushes) && (code & 0x78U) == 0) code &= policy::e4m3_sign;
  const bool finite = !f32_is_nan(bits) && std::fabs(quotient) <= std::numeric_limits<float>::max();
  if (is(Wrong::e4m3_truncates) && finite && std::fabs(e4m3_widen(code)) > std::fabs(quotient)) {
    code = static_cast<std::uint8_t>(code - 1U);
  }
  return code;
}

std::uint8_t FaultyRules::nibble(float quotient) const {
  if (f32_is_nan(f32_bits(quotient)))
    return is(Wrong::nibble_nan_zero) ? 0 : nibble_from_f32(quotient);
  if (is(Wrong::nibble_ties_away) && std::fabs(quotient) < 8.0F)
    return nibble_from_f32(std::round(quotient));
  return nibble_from_f32(quotient);
}

}  // namespace chainwalk::conformance
