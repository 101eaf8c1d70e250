// SPDX-License-Identifier: Apache-2.0
// Features that follow from a problem's sizes and flags, and those that its walk meets.
#include "notice.h"

#include <algorithm>
#include <set>
#include <vector>

#include "chainwalk/reference/walk.h"
#include "chainwalk/spec/head.h"

namespace chainwalk::fuzz {
namespace {

Feature rows_feature(const ProblemShape& shape) {
  const bool wide = shape.bank_type == BankType::f32;
  switch (shape.snapshot) {
    case SnapshotForm::raw: return wide ? Feature::f32_raw : Feature::bf16_raw;
    case SnapshotForm::bf16: return Feature::f32_bf16;
    case SnapshotForm::fp8: return wide ? Feature::f32_fp8 : Feature::bf16_fp8;
    case SnapshotForm::int4: return wide ? Feature::f32_int4 : Feature::bf16_int4;
    case SnapshotForm::none: break;
  }
  return wide ? Feature::f32_none : Feature::bf16_none;
}

Feature head_feature(std::int64_t head) {
  if (head == 1) return Feature::head_1;
  if (head <= 7) return Feature::head_2_7;
  if (head <= 64) {
    return head % 8 == 0 ? Feature::head_8n : head % 4 == 0 ? Feature::head_4n : Feature::head_odd;
  }
  if (head <= 127) return Feature::head_below_slice;
  if (head == 128) return Feature::head_slice;
  if (head <= 136) return Feature::head_over_slice;
  if (head <= 255) return Feature::head_two_slices;
  if (head == 256) return Feature::head_256;
  if (head <= 384) return Feature::head_three;
  return head <= 520 ? Feature::head_four : Feature::head_wide;
}

Feature positions_feature(std::int64_t n) {
  if (n == 0) return Feature::n_0;
  if (n == 1) return Feature::n_1;
  if (n <= 8) return Feature::n_2_8;
  if (n <= 32) return Feature::n_9_32;
  return n <= 128 ? Feature::n_33_128 : Feature::n_129_512;
}

// The choice that is `distance` after `first` on its axis; the last one for all that lie past it.
Feature counted_feature(Feature first, std::int64_t distance) {
  const auto& choices = features_of(info(first).axis);
  return choices[static_cast<std::size_t>(
      std::clamp<std::int64_t>(distance, 0, static_cast<std::int64_t>(choices.size()) - 1))];
}

Feature class_feature(const ProblemShape& shape) {
  switch (make_head(shape.head_dim, shape.bank_type).head_class) {
    case HeadClass::regular: return Feature::class_regular;
    case HeadClass::even_tail: return Feature::class_even_tail;
    case HeadClass::uneven_tail: return Feature::class_uneven_tail;
    case HeadClass::scalar_tail: break;
  }
  return Feature::class_scalar_tail;
}

void notice_sizes(const ProblemShape& shape, FeatureSet& seen) {
  const auto note = [&](Feature feature) { seen.set(index_of(feature)); };
  note(rows_feature(shape));
  note(head_feature(shape.head_dim));
  note(class_feature(shape));
  note(positions_feature(shape.positions));
  note(counted_feature(Feature::steps_0, shape.steps()));
  note(counted_feature(Feature::streams_1, shape.num_parallel - 1));
  note(shape.num_chunks % shape.num_parallel == 0 ? Feature::chunks_exact : Feature::chunks_extra);
  const std::int64_t one_step = shape.num_parallel * shape.chunk_size;
  note(shape.delta_v_step_rows == one_step  ? Feature::stride_exact
       : shape.delta_v_step_rows == 0       ? Feature::stride_0
       : shape.delta_v_step_rows < one_step ? Feature::stride_overlap
                                            : Feature::stride_gap);
  note(shape.chunk_size == 1     ? Feature::chunk_1
       : shape.chunk_size <= 16  ? Feature::chunk_2_16
       : shape.chunk_size <= 255 ? Feature::chunk_17_255
                                 : Feature::chunk_256);
  note(shape.warps_per_block == 4   ? Feature::warps_4
       : shape.warps_per_block == 8 ? Feature::warps_8
                                    : Feature::warps_16);
  note(counted_feature(Feature::blocks_1, shape.blocks_per_chunk - 1));
}

// Flags, tokens and rows of one chunk; `rows` are those that earlier steps wrote.
void notice_chunk(const Problem& problem, std::int64_t chunk, std::set<std::uint32_t>& rows,
                  FeatureSet& seen) {
  const auto note = [&](Feature feature) { seen.set(index_of(feature)); };
  bool after_invalid = false;
  std::uint64_t tokens[4] = {};
  for (const Record& record : problem.chunk_records(chunk)) {
    const auto token = static_cast<std::uint32_t>(
        clamped_token(record, static_cast<std::int32_t>(problem.shape.chunk_size)));
    if (raw_token(record) >= problem.shape.chunk_size) note(Feature::token_clamped);
    const std::uint64_t bit = std::uint64_t{1} << (token % 64U);
    if ((tokens[token / 64U] & bit) != 0) note(Feature::token_again);
    tokens[token / 64U] |= bit;
    if (!is_last(record)) continue;
    std::fill(std::begin(tokens), std::end(tokens), 0U);
    if (is_invalid(record)) {
      note(Feature::some_invalid);
    } else {
      if (after_invalid) note(Feature::after_invalid);
      if (!rows.insert(record.slot).second) note(Feature::row_again);
    }
    after_invalid = is_invalid(record);
  }
  const auto bounds = problem.chunk_tile_bounds(chunk);
  if (std::adjacent_find(bounds.begin(), bounds.end()) != bounds.end()) note(Feature::tile_empty);
}

bool is_subnormal(float value) {
  const std::uint32_t magnitude = f32_bits(value) & 0x7FFF'FFFFU;
  return magnitude != 0 && magnitude < 0x0080'0000U;
}

}  // namespace

// A product of two f32 is exact in binary64, and so is its sum with a third where Knuth's error
// term is zero; then the bits below f32's tell whether it rounds and whether it is a tie.
void NoticingRules::notice_sum(float scale, float token_value, float accumulator, float sum) const {
  if (!std::isfinite(sum))
    return note(std::isnan(sum) ? Feature::member_nan : Feature::member_infinite);
  if (sum == 0.0F) {
    if (scale != 0.0F && token_value != 0.0F) note(Feature::member_zero);
    if (std::signbit(sum)) note(Feature::member_negative_zero);
    return;
  }
  if (is_subnormal(sum)) return note(Feature::member_subnormal);
  const double product = static_cast<double>(scale) * static_cast<double>(token_value);
  const double addend = static_cast<double>(accumulator);
  const double exact = product + addend;
  const double back = exact - product;
  if (exact == static_cast<double>(sum)) return;
  note(Feature::member_inexact);
  const double error = (product - (exact - back)) + (addend - back);
  constexpr std::uint64_t below = (std::uint64_t{1} << 29U) - 1U;
  if (error == 0.0 && (std::bit_cast<std::uint64_t>(exact) & below) == (below + 1U) / 2U)
    note(Feature::member_tie);
}

float NoticingRules::quantizer_scale(float amax, SnapshotForm form) const {
  if (amax == 0.0F) note(Feature::amax_zero);
  const float reciprocal = f32_from_bits(form == SnapshotForm::fp8 ? policy::fp8_reciprocal_qmax
                                                                   : policy::int4_reciprocal_qmax);
  const float scale = amax * reciprocal;
  if (scale < f32_from_bits(policy::scale_floor)) {
    note(Feature::scale_floor);
  } else if ((f32_bits(scale) & 0xFFFFU) == 0x8000U) {
    note(Feature::scale_tie);
  }
  return SpecRules::quantizer_scale(amax, form);
}

std::uint8_t NoticingRules::e4m3(float quotient) const {
  const std::uint8_t code = SpecRules::e4m3(quotient);
  if (std::isnan(quotient)) {
    note(Feature::e4m3_nan);
  } else if (std::fabs(quotient) > 448.0F) {
    note(Feature::e4m3_saturates);
  } else {
    const float magnitude = std::fabs(quotient);
    const bool subnormal = (code & 0x78U) == 0 && (code & 7U) != 0;
    if (subnormal) note(Feature::e4m3_subnormal);
    // Halves of a unit: 2^-10 below 2^-6, the fourth fraction bit above.
    const bool tie = magnitude < 0x1p-6F ? std::fmod(magnitude, 0x1p-9F) == 0x1p-10F
                                         : (f32_bits(magnitude) & 0xF'FFFFU) == 0x8'0000U;
    if (tie) note(Feature::e4m3_tie);
  }
  return code;
}

std::uint8_t NoticingRules::nibble(float quotient) const {
  if (std::isnan(quotient)) {
    note(Feature::nibble_nan);
  } else if (quotient > 7.0F || quotient < -8.0F) {
    note(Feature::nibble_clamped);
  } else if (std::fabs(quotient - std::trunc(quotient)) == 0.5F) {
    note(Feature::nibble_tie);
  }
  return SpecRules::nibble(quotient);
}

FeatureSet noticed_features(const Problem& problem) {
  FeatureSet seen;
  notice_sizes(problem.shape, seen);
  const OutputBuffers outputs(problem);
  const NoticingRules rules(seen);
  std::set<std::uint32_t> rows;
  for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
    for (std::int64_t stream = 0; stream < problem.shape.num_parallel; ++stream)
      notice_chunk(problem, problem.shape.chunk(step, stream), rows, seen);
    reference::walk_step(rules, problem, step, outputs.views());
  }
  return seen;
}

}  // namespace chainwalk::fuzz
