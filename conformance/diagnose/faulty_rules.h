// SPDX-License-Identifier: Apache-2.0
// The walk's rules with any set of wrong_rules.def in force: the specification's rules, each hidden
// by a function that asks whether it is to be got wrong. Rows and columns stay inside the buffers.
#pragma once

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
  bool stores_open_end() const { return is(Wrong::stores_open_end); }
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
