// SPDX-License-Identifier: Apache-2.0
// Other rules plug into the same walker: a class that hides one function of SpecRules gives the
// bits of that mistake, worked out by hand (ARI-2, ARI-4, ARI-6, REC-5, SNP-1, SNP-2, QNT-2,
// BIG-1).
#include <gtest/gtest.h>

#include "chainwalk/reference/walk.h"
#include "hand_problem.h"

namespace chainwalk::reference {
namespace {

template <typename Rules>
OutputBuffers walk(const HandProblem& hand, const Rules& rules) {
  OutputBuffers outputs(hand.problem());
  walk_step(rules, hand.problem(), 0, outputs.views());
  return outputs;
}

struct NoRestartAfterInvalid : SpecRules {
  bool restarts_after(const Record& record) const { return !is_invalid(record); }
};
struct DecayOfTheFirstMember : SpecRules {
  float decay(std::span<const Record> members) const {
    return f32_from_bits(members.front().decay);
  }
};
struct ReversedMembers : SpecRules {
  template <typename Apply>
  float chain(std::int64_t count, float start, const Apply& apply) const {
    float accumulator = start;
    for (std::int64_t i = count; i > 0; --i) accumulator = apply(i - 1, accumulator);
    return accumulator;
  }
};
struct SnapshotAfterTheStore : SpecRules {
  bool snapshot_precedes_store() const { return false; }
};
struct OrdinalOffByOne : SpecRules {
  std::int64_t first_ordinal(std::int32_t prefix) const { return prefix + 1; }
};
struct AmaxOfOneSlice : SpecRules {
  ColumnRange amax_columns(const ProblemShape&) const { return {0, 1}; }
};
// Offsets cut to 4 bits stand for 32 in a bank this small.
struct ShortOffset : SpecRules {
  std::uint64_t row_offset(std::int64_t row, std::int64_t bytes) const {
    return SpecRules::row_offset(row, bytes) & 15U;
  }
};

TEST(WrongRules, Ari4NoRestartAfterAnInvalidLast) {
  HandProblem hand(BankType::f32, 2, {zero}, {three, two},
                   {{first | last | invalid, 0, one, one}, {first | last | token(1), 0, one, one}});
  hand.run(InstructionSet::portable);
  EXPECT_EQ(hand.row_bits(walk(hand, SpecRules{}), 0), two);
  EXPECT_EQ(hand.row_bits(walk(hand, NoRestartAfterInvalid{}), 0), f32_bits(5.0F));
}

TEST(WrongRules, Rec5DecayOfTheFirstMember) {
  HandProblem hand(BankType::f32, 2, {three}, {one}, {{first, 0, one, two}, {last, 0, one, one}});
  hand.run(InstructionSet::portable);
  EXPECT_EQ(hand.row_bits(walk(hand, SpecRules{}), 0), f32_bits(5.0F));
  EXPECT_EQ(hand.row_bits(walk(hand, DecayOfTheFirstMember{}), 0), f32_bits(8.0F));
}

TEST(WrongRules, Ari6ReversedMembers) {
  // 1 + 2^24 - 2^24 is 0; from the end it is 1.
  HandProblem hand(
      BankType::f32, 2, {zero}, {one, 0x4B80'0000U},
      {{first, 0, one, zero}, {token(1), 0, one, zero}, {last | token(1), 0, minus_one, zero}});
  hand.run(InstructionSet::portable);
  EXPECT_EQ(hand.row_bits(walk(hand, SpecRules{}), 0), zero);
  EXPECT_EQ(hand.row_bits(walk(hand, ReversedMembers{}), 0), one);
}

TEST(WrongRules, Snp1Snp2RowsOfTheSnapshot) {
  HandProblem hand(BankType::f32, 2, {one, one}, {one},
                   {{first | last, 0, one, one}, {first | last | invalid, 0, one, one}});
  hand.shape.snapshot = SnapshotForm::raw;
  hand.run(InstructionSet::portable);
  EXPECT_EQ(hand.snapshot_bits(walk(hand, SpecRules{}), 0, 0), one);
  EXPECT_EQ(hand.snapshot_bits(walk(hand, SnapshotAfterTheStore{}), 0, 0), two);
  const OutputBuffers shifted = walk(hand, OrdinalOffByOne{});
  EXPECT_EQ(hand.snapshot_bits(shifted, 0, 0), poison);
  EXPECT_EQ(hand.snapshot_bits(shifted, 1, 0), one);
}

TEST(WrongRules, Qnt2AmaxOfOneSlice) {
  HandProblem hand(BankType::f32, 2, {zero}, {one}, {{first | last, 0, one, one}});
  hand.set_bank(0, 0, f32_bits(7.0F));
  hand.set_bank(0, 1, f32_bits(448.0F));
  hand.shape.snapshot = SnapshotForm::fp8;
  hand.run(InstructionSet::portable);
  EXPECT_EQ(walk(hand, SpecRules{}).views().scale[0], 1.0F);
  EXPECT_EQ(walk(hand, AmaxOfOneSlice{}).views().scale[0], 0x1p-6F);  // 7 / 448
}

TEST(WrongRules, Big1ShortOffset) {
  // Row 2 of 8 bytes lands on row 0.
  HandProblem hand(BankType::f32, 2, {zero, zero, three}, {one}, {{first | last, 2, one, one}});
  hand.run(InstructionSet::portable);
  EXPECT_EQ(hand.row_bits(walk(hand, SpecRules{}), 2), 0x4080'0000U);
  const OutputBuffers strayed = walk(hand, ShortOffset{});
  EXPECT_EQ(hand.row_bits(strayed, 2), three);
  EXPECT_EQ(hand.row_bits(strayed, 0), one);
}

}  // namespace
}  // namespace chainwalk::reference
