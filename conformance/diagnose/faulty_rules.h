// SPDX-License-Identifier: Apache-2.0
// The walk's rules with any set of wrong_rules.def in force: the specification's rules, each hidden
// by a function that asks whether it is to be got wrong. Rows and columns stay inside the buffers.
#pragma once

#include <algorithm>
#include <bitset>
#include <cmath>
#include <cstdint>
#include <span>

#include "chainwalk/reference/rules.h"

namespace chainwalk::conformance {

enum class Wrong : std::size_t {
#define CW_WRONG(name, id, description, rule) name,
#include "wrong_rules.def"
#undef CW_WRONG
  count
};

inline bool is_subnormal(float value) {
  const std::uint32_t magnitude = f32_bits(value) & 0x7FFF'FFFFU;
  return magnitude != 0 && magnitude < 0x0080'0000U;
}

inline float flushed(float value) {
  return is_subnormal(value) ? f32_from_bits(f32_bits(value) & 0x8000'0000U) : value;
}

// Product and sum with a rounding each. `volatile` keeps a compiler that may contract from doing
// so.
inline float unfused(float a, float b, float c) {
  const volatile float product = a * b;
  return product + c;
}

class FaultyRules : public reference::SpecRules {
 public:
  using Set = std::bitset<static_cast<std::size_t>(Wrong::count)>;
  using ColumnRange = reference::ColumnRange;

  FaultyRules(const Problem& problem, const Set& wrong) : problem_(problem), wrong_(wrong) {}

  // ---- REC, ARI-7 ----
  std::int32_t token(const Record& record, const ProblemShape& shape) const;
  std::int64_t token_row(const ProblemShape& shape, std::int64_t step, std::int64_t stream,
                         std::int32_t token) const;
  std::uint64_t row_offset(std::int64_t row, std::int64_t row_bytes) const {
    const std::uint64_t offset = SpecRules::row_offset(row, row_bytes);
    return is(Wrong::offset_32_bits) ? offset & 0xFFFF'FFFFU : offset;
  }
  float token_value(const Problem& problem, std::int64_t row, std::int64_t column) const;
  std::uint32_t slot(std::span<const Record> members) const;
  float decay(std::span<const Record> members) const {
    return f32_from_bits(is(Wrong::decay_of_first) ? members.front().decay : members.back().decay);
  }

  // ---- Groups ----
  bool stores(const Record& last) const {
    return is(Wrong::stores_invalid) ? last.slot < slots() : !is_invalid(last);
  }
  bool restarts_after(const Record& last) const {
    if (is(Wrong::no_restart)) return false;
    return !(is(Wrong::no_restart_after_invalid) && is_invalid(last));
  }
  bool stores_open_end() const { return is(Wrong::stores_open_end) && slots() > 0; }
  std::int64_t first_ordinal(std::int32_t group_prefix) const {
    return is(Wrong::prefix_ignored) ? 0 : group_prefix;
  }

  // ---- The chain ----
  float accumulator_start() const { return is(Wrong::start_negative_zero) ? -0.0F : 0.0F; }
  float member(float scale, float token_value, float accumulator) const;
  template <typename Apply>
  float chain(std::int64_t count, float start, const Apply& apply) const;
  float output(float base, float decay, float accumulator) const;
  std::uint16_t store_bf16(float out) const;
  std::uint32_t store_f32(float out) const;
  ColumnRange columns(const ProblemShape& shape, std::int64_t slot, ColumnRange asked) const;

  // ---- Snapshot and quantized rows ----
  bool snapshot_precedes_store() const { return !is(Wrong::snapshot_after_store); }
  std::int64_t snapshot_row(const ProblemShape& shape, std::int64_t step, std::int64_t stream,
                            std::int64_t ordinal) const;
  std::uint16_t snapshot_bf16(float base) const {
    return is(Wrong::snapshot_truncates) ? truncated(base) : bf16_narrow(base);
  }
  ColumnRange amax_columns(const ProblemShape& shape) const {
    return {0, is(Wrong::amax_one_slice) && shape.head_dim > 128 ? 128 : shape.head_dim};
  }
  float amax(float greatest, float base) const;
  float quantizer_scale(float amax, SnapshotForm form) const;
  float quotient(float base, float scale) const;
  std::uint8_t e4m3(float quotient) const;
  std::uint8_t nibble(float quotient) const;
  std::uint8_t nibble_pair(std::uint8_t even, std::uint8_t odd) const {
    return is(Wrong::nibbles_swapped) ? SpecRules::nibble_pair(odd, even)
                                      : SpecRules::nibble_pair(even, odd);
  }

 private:
  bool is(Wrong wrong) const { return wrong_[static_cast<std::size_t>(wrong)]; }
  std::uint32_t slots() const { return static_cast<std::uint32_t>(problem_.shape.slots); }
  static std::uint16_t truncated(float value) {
    return f32_is_nan(f32_bits(value)) ? policy::bf16_nan
                                       : static_cast<std::uint16_t>(f32_bits(value) >> 16U);
  }
  std::uint32_t nan_bits(std::uint32_t bits) const;

  const Problem& problem_;
  Set wrong_;
};

// ---- Called for every column of every member ----

inline std::int32_t FaultyRules::token(const Record& record, const ProblemShape& shape) const {
  const auto chunk_size = static_cast<std::int32_t>(shape.chunk_size);
  if (is(Wrong::token_not_clamped)) return raw_token(record);
  if (is(Wrong::token_wraps)) return raw_token(record) % chunk_size;
  if (is(Wrong::token_seven_bits)) return std::min(raw_token(record) & 127, chunk_size - 1);
  if (is(Wrong::token_next_bit)) {
    return std::min(static_cast<std::int32_t>((record.x >> 8U) & 511U), chunk_size - 1);
  }
  return SpecRules::token(record, shape);
}

inline std::int64_t FaultyRules::token_row(const ProblemShape& shape, std::int64_t step,
                                           std::int64_t stream, std::int32_t token) const {
  if (is(Wrong::stale_token_rows)) step = 0;
  if (is(Wrong::stream_ignored)) stream = 0;
  std::int64_t row = SpecRules::token_row(shape, step, stream, token);
  if (is(Wrong::step_stride_fixed)) {
    row = step * shape.num_parallel * shape.chunk_size + stream * shape.chunk_size + token;
  }
  return row % std::max<std::int64_t>(1, shape.delta_v_rows);
}

inline float FaultyRules::token_value(const Problem& problem, std::int64_t row,
                                      std::int64_t column) const {
  // A leaked column has no token value of its own: it takes its row's first.
  const float value = SpecRules::token_value(problem, row, column % problem.shape.head_dim);
  return is(Wrong::token_bf16) ? bf16_round(value) : value;
}

inline float FaultyRules::member(float scale, float token_value, float accumulator) const {
  if (is(Wrong::scale_bf16)) scale = bf16_round(scale);
  if (is(Wrong::flush_inputs)) {
    scale = flushed(scale);
    token_value = flushed(token_value);
    accumulator = flushed(accumulator);
  }
  const float sum = is(Wrong::member_unfused) ? unfused(scale, token_value, accumulator)
                                              : std::fma(scale, token_value, accumulator);
  return is(Wrong::member_bf16) ? bf16_round(sum) : sum;
}

template <typename Apply>
float FaultyRules::chain(std::int64_t count, float start, const Apply& apply) const {
  if (is(Wrong::members_reversed)) {
    float accumulator = start;
    for (std::int64_t i = count; i-- > 0;) accumulator = apply(i, accumulator);
    return accumulator;
  }
  if (is(Wrong::two_accumulators)) {
    float even = start;
    float odd = start;
    for (std::int64_t i = 0; i < count; ++i) {
      float& accumulator = i % 2 == 0 ? even : odd;
      accumulator = apply(i, accumulator);
    }
    return count > 1 ? even + odd : even;
  }
  return SpecRules::chain(count, start, apply);
}

}  // namespace chainwalk::conformance
