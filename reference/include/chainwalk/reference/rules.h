// SPDX-License-Identifier: Apache-2.0
// The rules of the walk, each a small named function under its id (REC-3, REC-5, ARI-1 to ARI-7,
// NUM-1, NUM-4 to NUM-6, SNP-1 to SNP-3, QNT-2 to QNT-6, QNT-10, TIL-4, BIG-1).
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/policy.h"
#include "chainwalk/spec/problem.h"
#include "chainwalk/spec/record.h"

namespace chainwalk::reference {

// Columns [begin, end) of a row.
struct ColumnRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The specification. The walker (walk.h) is a template over such a class and asks it for every
// decision, so a class that derives from this one and hides one function is a walk with one rule
// wrong. Such a class must keep every row and column it names inside the buffers.
struct SpecRules {
  // ---- Records and token rows ----

  // REC-3: the token is clamped to the chunk.
  constexpr std::int32_t token(const Record& record, const ProblemShape& shape) const {
    return clamped_token(record, static_cast<std::int32_t>(shape.chunk_size));
  }

  // ARI-7: the token row of chunk (step, stream).
  constexpr std::int64_t token_row(const ProblemShape& shape, std::int64_t step,
                                   std::int64_t stream, std::int32_t token) const {
    return step * shape.delta_v_step_rows + stream * shape.chunk_size + token;
  }

  // BIG-1: every offset in 64 bits. Rows of the bank, of delta_v and of every snapshot tensor.
  constexpr std::uint64_t row_offset(std::int64_t row, std::int64_t row_bytes) const {
    return static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(row_bytes);
  }

  float token_value(const Problem& problem, std::int64_t row, std::int64_t column) const {
    const std::uint64_t offset = row_offset(row, problem.shape.head_dim);
    return problem.delta_v[offset + static_cast<std::uint64_t>(column)];
  }

  // ---- Groups of a tile ----

  // ARI-2, ARI-4: a LAST stores its row unless it is INVALID.
  constexpr bool stores(const Record& last) const { return !is_invalid(last); }

  // ARI-4: the accumulator goes back to its start after every LAST, INVALID or not.
  constexpr bool restarts_after(const Record& /*last*/) const { return true; }

  // ARI-5: a run that the tile ends without a LAST stores nothing.
  constexpr bool stores_open_end() const { return false; }

  // REC-5: slot and decay of a group are its LAST record's own.
  constexpr std::uint32_t slot(std::span<const Record> members) const {
    return members.back().slot;
  }
  constexpr float decay(std::span<const Record> members) const {
    return f32_from_bits(members.back().decay);
  }

  // TIL-4: the ordinal of a tile's first valid group.
  constexpr std::int64_t first_ordinal(std::int32_t group_prefix) const { return group_prefix; }

  // SNP-1: ordinals count the LASTs that store.
  constexpr std::int64_t next_ordinal(std::int64_t ordinal) const { return ordinal + 1; }

  // ---- The chain of one column ----

  // ARI-1: the accumulator starts at +0.
  constexpr float accumulator_start() const { return 0.0F; }

  // ARI-1, NUM-6: one fma, one rounding.
  float member(float scale, float token_value, float accumulator) const {
    return std::fma(scale, token_value, accumulator);
  }

  // ARI-6: members count in sorted order, in one accumulator. `apply(i, accumulator)` carries out
  // member i of `count`.
  template <typename Apply>
  float chain(std::int64_t count, float start, const Apply& apply) const {
    float accumulator = start;
    for (std::int64_t i = 0; i < count; ++i) accumulator = apply(i, accumulator);
    return accumulator;
  }

  // ARI-2: `base` is the row's value before this launch.
  float output(float base, float decay, float accumulator) const {
    return std::fma(base, decay, accumulator);
  }

  // ARI-3, NUM-4: one rounding to bf16; ARI-3, NUM-1: f32 as it is, a NaN in its one form.
  constexpr std::uint16_t store_bf16(float out) const { return bf16_narrow(out); }
  constexpr std::uint32_t store_f32(float out) const { return f32_canonical(f32_bits(out)); }

  // The columns of row `slot` that are read and written, of those asked for (GEO-3).
  constexpr ColumnRange columns(const ProblemShape& /*shape*/, std::int64_t /*slot*/,
                                ColumnRange asked) const {
    return asked;
  }

  // ---- Snapshot rows ----

  // SNP-2, SNP-3, QNT-2: snapshot rows are made from the row before it is written.
  constexpr bool snapshot_precedes_store() const { return true; }

  // SNP-1: the row of valid group `ordinal` of chunk (step, stream).
  std::int64_t snapshot_row(const ProblemShape& shape, std::int64_t step, std::int64_t stream,
                            std::int64_t ordinal) const {
    return shape.chunk(step, stream) * shape.positions + ordinal;
  }

  // SNP-3.
  constexpr std::uint16_t snapshot_bf16(float base) const { return bf16_narrow(base); }

  // ---- Quantized rows ----

  // QNT-2: amax covers the whole row.
  constexpr ColumnRange amax_columns(const ProblemShape& shape) const {
    return {0, shape.head_dim};
  }

  // QNT-2, NUM-7: from +0; a NaN is passed over, infinity counts.
  constexpr float amax_start() const { return 0.0F; }
  constexpr float amax(float greatest, float base) const {
    return max_number(greatest, f32_from_bits(f32_bits(base) & 0x7FFF'FFFFU));
  }

  // QNT-3: product in f32, floor, one rounding to bf16.
  constexpr float quantizer_scale(float amax, SnapshotForm form) const {
    const float reciprocal = f32_from_bits(
        form == SnapshotForm::fp8 ? policy::fp8_reciprocal_qmax : policy::int4_reciprocal_qmax);
    return bf16_round(max_number(amax * reciprocal, f32_from_bits(policy::scale_floor)));
  }

  // QNT-4: IEEE division, then one rounding to bf16.
  constexpr float quotient(float base, float scale) const { return bf16_round(base / scale); }

  // QNT-5, NUM-5.
  constexpr std::uint8_t e4m3(float quotient) const { return e4m3_from_f32(quotient); }

  // QNT-6: the code of one column, and two columns in a byte, the even one in the high nibble.
  constexpr std::uint8_t nibble(float quotient) const { return nibble_from_f32(quotient); }
  constexpr std::uint8_t nibble_pair(std::uint8_t even, std::uint8_t odd) const {
    return static_cast<std::uint8_t>((static_cast<unsigned>(even) << 4U) | odd);
  }

  // QNT-10: the low nibble of the last byte of an odd head.
  constexpr std::uint8_t missing_nibble() const { return 0; }
};

}  // namespace chainwalk::reference
