// SPDX-License-Identifier: Apache-2.0
// What must not change, or change in a known way, when a problem does (QNT-7, SNP-4, BIG-2, LCH-3,
// REC-5, ARI).
#include <algorithm>
#include <numeric>
#include <set>

#include "chainwalk/spec/tiles.h"
#include "changed_problem.h"
#include "drawn_case.h"

namespace chainwalk::properties {
namespace {

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

TEST(MetamorphicProperty, SnapshotFormsDoNotTouchTheBank) {
  EXPECT_TRUE(rc::check("QNT-7: the bank is the same with every form", [] {
    const Problem drawn = draw_problem();
    // A form that writes rows needs ordinals; one that writes none may have none.
    Problem problem =
        with_tiles(drawn, drawn.shape.warps_per_block, drawn.shape.blocks_per_chunk,
                   std::vector<std::int32_t>(drawn.tile_bounds.begin(), drawn.tile_bounds.end()));
    const OutputBuffers expected = run_reference(problem);
    for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                    SnapshotForm::fp8, SnapshotForm::int4}) {
      if (form == SnapshotForm::bf16 && problem.shape.bank_type != BankType::f32) continue;
      problem.shape.snapshot = form;
      RC_ASSERT(same_bytes(run_reference(problem).views().bank, expected.views().bank));
    }
  }));
}

std::set<std::int64_t> written_slots(const Problem& problem) {
  std::set<std::int64_t> slots;
  for (std::int64_t chunk = 0; chunk < problem.shape.steps() * problem.shape.num_parallel;
       ++chunk) {
    for (const Record& record : problem.chunk_records(chunk)) {
      if (is_last(record) && !is_invalid(record)) slots.insert(record.slot);
    }
  }
  return slots;
}

TEST(MetamorphicProperty, UntouchedBytesStay) {
  EXPECT_TRUE(rc::check("BIG-2: rows that no valid group names stay", [] {
    const Problem problem = draw_problem();
    const OutputBuffers outputs = run_reference(problem);
    const auto slots = written_slots(problem);
    const auto row_bytes = static_cast<std::size_t>(problem.shape.bank_row_bytes());
    for (std::int64_t row = 0; row < problem.shape.slots; ++row) {
      if (slots.contains(row)) continue;
      const auto offset = static_cast<std::size_t>(row) * row_bytes;
      RC_ASSERT(same_bytes(problem.bank_before.subspan(offset, row_bytes),
                           outputs.views().bank.subspan(offset, row_bytes)));
    }
    // SNP-4, by comparing with itself: written rows are equal, the others must be poison.
    assert_same(problem, outputs, outputs);
  }));
}

// Steps [first, first + count) as a problem of their own, over a bank that is given.
Problem steps_of(const Problem& problem, std::int64_t first, std::int64_t count) {
  const ProblemShape& shape = problem.shape;
  const auto chunks = [&](std::int64_t step) { return step * shape.num_parallel; };
  const auto part = [&](auto all, std::int64_t each) {
    return all.subspan(static_cast<std::size_t>(chunks(first) * each),
                       static_cast<std::size_t>(chunks(count) * each));
  };
  Problem one = problem;
  one.shape.num_chunks = chunks(count);
  one.records = part(problem.records, shape.positions);
  one.tile_bounds = part(problem.tile_bounds, shape.tiles_per_chunk() + 1);
  one.group_prefix = part(problem.group_prefix, shape.tiles_per_chunk() + 1);
  const std::int64_t skipped = count == 0 ? 0 : first * shape.delta_v_step_rows;
  one.shape.delta_v_rows = shape.delta_v_rows - skipped;
  one.delta_v = problem.delta_v.subspan(static_cast<std::size_t>(skipped * shape.head_dim));
  return one;
}

TEST(MetamorphicProperty, SplitStepsEqualAWholeRun) {
  EXPECT_TRUE(rc::check("LCH-3: step ti + 1 sees every row of step ti", [] {
    const Problem problem = draw_problem();
    const ProblemShape& shape = problem.shape;
    const OutputBuffers whole = run_reference(problem);
    const auto cut = *rc::gen::inRange<std::int64_t>(0, shape.steps() + 1);
    const OutputBuffers first = run_reference(steps_of(problem, 0, cut));
    Problem rest = steps_of(problem, cut, shape.steps() - cut);
    rest.bank_before = first.views().bank;
    const OutputBuffers second = run_reference(rest);
    RC_ASSERT(same_bytes(whole.views().bank, second.views().bank));
    const auto joined = [&](std::span<const std::byte> all, std::span<const std::byte> a,
                            std::span<const std::byte> b) {
      RC_ASSERT(same_bytes(all.first(a.size()), a));
      RC_ASSERT(same_bytes(all.subspan(a.size(), b.size()), b));
    };
    joined(whole.views().snapshot, first.views().snapshot, second.views().snapshot);
    joined(whole.views().payload, first.views().payload, second.views().payload);
    joined(std::as_bytes(whole.views().scale), std::as_bytes(first.views().scale),
           std::as_bytes(second.views().scale));
  }));
}

// Adds `power` to the exponent of every element that is not zero.
void scale_elements(std::span<std::byte> bytes, BankType type, int power) {
  const auto add = [power](auto word, unsigned fraction_bits) {
    using Word = decltype(word);
    const auto magnitude_mask = static_cast<Word>(static_cast<Word>(~Word{0}) >> 1U);
    if ((word & magnitude_mask) == 0) return word;
    return static_cast<Word>(word + static_cast<Word>(power) * (Word{1} << fraction_bits));
  };
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(element_size(type))) {
    if (type == BankType::bf16) {
      std::uint16_t word = 0;
      std::memcpy(&word, bytes.data() + at, 2);
      word = add(word, 7U);
      std::memcpy(bytes.data() + at, &word, 2);
    } else {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + at, 4);
      word = add(word, 23U);
      std::memcpy(bytes.data() + at, &word, 4);
    }
  }
}

TEST(MetamorphicProperty, ScalingByAPowerOfTwoScalesTheOutputs) {
  EXPECT_TRUE(rc::check("bank and delta_v times 2^k: outputs times 2^k", [] {
    const Problem problem = draw_problem({.head_dim = 200, .positions = 60, .plain_values = true});
    const int power = *rc::gen::inRange(-8, 9);
    const ProblemShape& shape = problem.shape;
    ChangedProblem scaled(problem);
    scale_elements(scaled.bank_span(), shape.bank_type, power);
    scale_elements(std::as_writable_bytes(std::span(scaled.delta_v)), BankType::f32, power);
    const OutputBuffers before = run_reference(problem);
    const OutputBuffers after = run_reference(scaled.view());
    const OutputBuffers& expected = before;
    scale_elements(expected.views().bank, shape.bank_type, power);
    RC_ASSERT(same_bytes(expected.views().bank, after.views().bank));
    if (shape.snapshot == SnapshotForm::none) return;
    // The payload is the same; only rows that are written scale.
    const BankType row_type =
        shape.snapshot == SnapshotForm::bf16 ? BankType::bf16 : shape.bank_type;
    const auto row_bytes = static_cast<std::size_t>(shape.snapshot_row_bytes());
    for (std::int64_t chunk = 0; chunk < shape.steps() * shape.num_parallel; ++chunk) {
      for (const Group& group : groups_of(problem.chunk_records(chunk))) {
        if (group.ordinal < 0) continue;
        const auto row = static_cast<std::size_t>(chunk * shape.positions + group.ordinal);
        if (is_dense(shape.snapshot)) {
          scale_elements(expected.views().snapshot.subspan(row * row_bytes, row_bytes), row_type,
                         power);
        } else {
          scale_elements(std::as_writable_bytes(expected.views().scale.subspan(row, 1)),
                         BankType::f32, power);
        }
      }
    }
    assert_same(problem, expected, after);
  }));
}

TEST(MetamorphicProperty, RenamedSlotsRenameTheRows) {
  EXPECT_TRUE(rc::check("REC-5: a permutation of slots permutes the bank", [] {
    const Problem problem = draw_problem();
    const ProblemShape& shape = problem.shape;
    RC_PRE(shape.slots > 0);
    // Multiplying by a number without a common factor, then turning, permutes 0..slots-1.
    auto factor = *rc::gen::inRange<std::int64_t>(1, shape.slots + 1);
    while (std::gcd(factor, shape.slots) != 1) ++factor;
    const auto turn = *rc::gen::inRange<std::int64_t>(0, shape.slots);
    const auto renamed = [&](std::int64_t slot) { return (slot * factor + turn) % shape.slots; };
    const auto row_bytes = static_cast<std::size_t>(shape.bank_row_bytes());
    const auto rename_rows = [&](std::span<const std::byte> from, std::span<std::byte> to) {
      for (std::int64_t slot = 0; slot < shape.slots; ++slot) {
        const auto row = from.subspan(static_cast<std::size_t>(slot) * row_bytes, row_bytes);
        std::copy(row.begin(), row.end(),
                  to.begin() + renamed(slot) * static_cast<std::int64_t>(row_bytes));
      }
    };
    ChangedProblem other(problem);
    rename_rows(problem.bank_before, other.bank_span());
    for (Record& record : other.records) {
      if (is_last(record) && !is_invalid(record)) {
        record.slot = static_cast<std::uint32_t>(renamed(record.slot));
      }
    }
    const OutputBuffers before = run_reference(problem);
    const OutputBuffers expected(problem);
    rename_rows(before.views().bank, expected.views().bank);
    std::copy(before.views().snapshot.begin(), before.views().snapshot.end(),
              expected.views().snapshot.begin());
    std::copy(before.views().payload.begin(), before.views().payload.end(),
              expected.views().payload.begin());
    std::copy(before.views().scale.begin(), before.views().scale.end(),
              expected.views().scale.begin());
    assert_same(problem, expected, run_reference(other.view()));
  }));
}

}  // namespace
}  // namespace chainwalk::properties
