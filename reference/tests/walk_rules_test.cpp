// SPDX-License-Identifier: Apache-2.0
// The walk on problems worked out by hand (REC-2, REC-3, REC-5, REC-6, ARI-1 to ARI-7, NUM-1,
// NUM-3, NUM-6, TIL-1).
#include <gtest/gtest.h>

#include "chainwalk/oracle/arithmetic.h"
#include "every_set.h"
#include "hand_problem.h"

namespace chainwalk::reference {
namespace {

using WalkRules = EverySetAndHead;
INSTANTIATE_TEST_SUITE_P(Reference, WalkRules, every_set_and_head(), set_and_head_name);

// One group of one member that stores `value` in slot 0: base 0, decay 0, token 1.
HandProblem store_of(BankType type, std::int64_t head_dim, std::uint32_t value) {
  return {type, head_dim, {zero}, {one}, {{first | last, 0, value, zero}}};
}

TEST_P(WalkRules, Ari1StartsAtPlusZero) {
  // 1 * -0 + +0 is +0, and -0 * 1 + +0 is +0; a start at -0 would leave -0.
  HandProblem hand(BankType::f32, head_dim(), {0x8000'0000U}, {0x8000'0000U},
                   {{first | last, 0, one, one}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0U);
}

TEST_P(WalkRules, Ari1RoundsOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24; a rounded product would leave 0.
  HandProblem hand(BankType::f32, head_dim(), {zero}, {0x3F80'1000U, 0x3F80'0800U},
                   {{first, 0, minus_one, zero}, {last | token(1), 0, 0x3F80'0800U, zero}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x3380'0000U);
}

TEST_P(WalkRules, Ari2RoundsOnceF32) {
  // base * decay = (1 + 2^-12)^2, accumulator -(1 + 2^-11).
  HandProblem hand(BankType::f32, head_dim(), {0x3F80'0800U}, {0x3F80'1000U},
                   {{first | last, 0, minus_one, 0x3F80'0800U}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x3380'0000U);
}

TEST_P(WalkRules, Ari2RoundsOnceBf16) {
  // (1 + 2^-7)(1 + 2^-17) - (1 + 2^-7 + 2^-17) is 2^-24.
  HandProblem hand(BankType::bf16, head_dim(), {0x3F81U}, {0x3F81'0040U},
                   {{first | last, 0, minus_one, 0x3F80'0040U}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x3380U);
}

TEST_P(WalkRules, Ari3NarrowsToNearestEven) {
  const std::pair<std::uint32_t, std::uint32_t> cases[] = {
      {0x3F80'8000U, 0x3F80U},   // a tie, even below
      {0x3F81'8000U, 0x3F82U},   // a tie, even above
      {0x3F80'8001U, 0x3F81U},   // just over a tie
      {0xBF80'7FFFU, 0xBF80U},   // just under
      {0x7F7F'8000U, 0x7F80U},   // overflow
      {0xFF7F'FFFFU, 0xFF80U},   // overflow
      {0x0000'8000U, 0x0000U},   // subnormals: a tie
      {0x0001'8000U, 0x0002U}};  // and another
  for (const auto& [value, stored] : cases) {
    HandProblem hand = store_of(BankType::bf16, head_dim(), value);
    EXPECT_EQ(hand.row_bits(hand.run(set()), 0), stored) << std::hex << value;
  }
}

TEST(Narrowing, Ari3Num4EveryHighHalfOnEverySet) {
  // Each of the 2^16 high halves of an f32 with low halves around the tie, against the oracle's
  // integers. One member, scale 1, base 0: a value v is stored as v, and -0 as +0.
  for (const std::uint32_t low : {0x0000U, 0x0001U, 0x7FFFU, 0x8000U, 0x8001U, 0xFFFFU}) {
    HandProblem hand(BankType::bf16, 1 << 16, {zero}, {zero}, {{first | last, 0, one, zero}});
    for (std::uint32_t high = 0; high < 1U << 16U; ++high) {
      hand.set_token(0, high, (high << 16U) | low);
    }
    for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2,
                                     InstructionSet::avx512, InstructionSet::avx512_bf16}) {
      if (!is_available(set)) continue;
      const OutputBuffers outputs = hand.run(set);
      for (std::uint32_t high = 0; high < 1U << 16U; ++high) {
        const std::uint32_t value = (high << 16U) | low;
        const std::uint32_t kept = value == 0x8000'0000U ? 0U : value;
        const std::uint32_t needed = oracle::narrow_bits(kept);
        ASSERT_EQ(hand.bank_bits(outputs, 0, high), needed)
            << to_string(set) << ", 0x" << std::hex << value;
      }
    }
  }
}

TEST_P(WalkRules, Ari3StoresF32AsItIs) {
  for (const std::uint32_t value : {0x3F80'8001U, 0x0000'0001U, 0x7F7F'FFFFU, 0xFF80'0000U}) {
    HandProblem hand = store_of(BankType::f32, head_dim(), value);
    EXPECT_EQ(hand.row_bits(hand.run(set()), 0), value) << std::hex << value;
  }
}

TEST_P(WalkRules, Ari4RestartsAfterEveryLast) {
  // Tokens 5, 7, 2 in three groups, the first of them INVALID.
  HandProblem hand(BankType::f32, head_dim(), {zero, zero, zero}, {0x40A0'0000U, 0x40E0'0000U, two},
                   {{first | last | invalid, 0, one, one},
                    {first | last | token(1), 1, one, one},
                    {first | last | token(2), 2, one, one}});
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.row_bits(outputs, 0), zero);
  EXPECT_EQ(hand.row_bits(outputs, 1), 0x40E0'0000U);
  EXPECT_EQ(hand.row_bits(outputs, 2), two);
}

TEST_P(WalkRules, Ari5OpenEndStoresNothing) {
  HandProblem hand(BankType::bf16, head_dim(), {0x3F80U, 0x4040U}, {two},
                   {{first | last, 0, one, one}, {first, 1, one, one}});
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.row_bits(outputs, 0), 0x4040U);  // 1 + 2
  EXPECT_EQ(hand.row_bits(outputs, 1), 0x4040U);
}

TEST_P(WalkRules, Rec6TilesStartAtPlusZeroWhateverTheFlags) {
  // A bound inside a group: the first tile has an open end, the second only the token 2.
  HandProblem hand(BankType::f32, head_dim(), {zero}, {three, two},
                   {{first, 0, one, one}, {last | token(1), 0, one, one}});
  hand.bounds = {0, 1, 2, 2, 2};
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), two);
}

TEST_P(WalkRules, Rec6FirstIsNotRead) {
  // A FIRST within a group does not restart it: 3 + 2.
  HandProblem hand(BankType::f32, head_dim(), {zero}, {three, two},
                   {{first, 0, one, one}, {first | last | token(1), 0, one, one}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x40A0'0000U);
}

TEST_P(WalkRules, Ari6MembersCountInOrder) {
  // 2^24 + 1 - 2^24 is 0, 2^24 - 2^24 + 1 is 1.
  HandProblem hand(BankType::f32, head_dim(), {zero, zero}, {0x4B80'0000U, one},
                   {{first, 0, one, zero},
                    {token(1), 0, one, zero},
                    {last, 0, minus_one, zero},
                    {first, 0, one, zero},
                    {0, 0, minus_one, zero},
                    {last | token(1), 1, one, zero}});
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.row_bits(outputs, 0), zero);
  EXPECT_EQ(hand.row_bits(outputs, 1), one);
}

TEST_P(WalkRules, Ari6LongGroupsAreOneChain) {
  // 2^24, then 700 times 1, each lost to rounding, then -2^24 and 1. Any regrouping leaves more.
  std::vector<Record> records{{first, 0, one, zero}};
  records.insert(records.end(), 700, {token(1), 0, one, zero});
  records.push_back({0, 0, minus_one, zero});
  records.push_back({last | token(1), 0, one, zero});
  HandProblem hand(BankType::f32, head_dim(), {zero}, {0x4B80'0000U, one}, records);
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), one);
}

TEST_P(WalkRules, Rec2ReservedBitsAreIgnored) {
  HandProblem hand(BankType::f32, head_dim(), {zero}, {three, two},
                   {{~record_meaningful | first | last | token(1), 0, one, one}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), two);
}

TEST_P(WalkRules, Rec3TokensAreClamped) {
  HandProblem hand(BankType::f32, head_dim(), {zero}, {three, two},
                   {{first | last | token(255), 0, one, one}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), two);
}

TEST_P(WalkRules, Rec5SlotAndDecayAreTheLastMembers) {
  // 3 * 2 + 1 + 1 in slot 1; the first member names slot 0 and a NaN.
  HandProblem hand(BankType::f32, head_dim(), {one, three}, {one},
                   {{first, 0, one, 0x7FC0'0000U}, {last, 1, one, two}});
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.row_bits(outputs, 0), one);
  EXPECT_EQ(hand.row_bits(outputs, 1), 0x4100'0000U);
}

TEST_P(WalkRules, Ari7TokenRowsOfStepAndStream) {
  // P 2, C 2, 3 rows from step to step, token 1: rows 1, 3 in step 0 and 4, 6 in step 1. Row r
  // holds r; every group decays by 1.
  std::vector<std::uint32_t> rows;
  for (const float row : {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}) rows.push_back(f32_bits(row));
  const Record to_zero{first | last | token(1), 0, one, one};
  const Record to_one{first | last | token(1), 1, one, one};
  HandProblem hand(BankType::f32, head_dim(), {zero, zero}, rows,
                   {to_zero, to_one, to_zero, to_one});
  hand.shape.num_parallel = 2;
  hand.shape.num_chunks = 4;
  hand.shape.chunk_size = 2;
  hand.shape.delta_v_step_rows = 3;
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.row_bits(outputs, 0), f32_bits(5.0F));  // 1 + 4
  EXPECT_EQ(hand.row_bits(outputs, 1), f32_bits(9.0F));  // 3 + 6
}

TEST_P(WalkRules, Ari7ChunksPastTheLastStepNeverRun) {
  HandProblem hand(
      BankType::f32, head_dim(), {zero}, {one, one},
      {{first | last, 0, one, one}, {first | last, 0, one, one}, {first | last, 0, one, one}});
  hand.shape.num_parallel = 2;
  hand.shape.num_chunks = 3;
  hand.shape.chunk_size = 1;
  EXPECT_EQ(hand.row_bits(hand.run(set(), 1), 0), two);  // one step: two streams
}

TEST_P(WalkRules, Num1NanHasOneForm) {
  for (const std::uint32_t scale : {0xFFC1'2345U, 0x7F80'0001U}) {
    HandProblem f32 = store_of(BankType::f32, head_dim(), scale);
    EXPECT_EQ(f32.row_bits(f32.run(set()), 0), 0x7FFF'FFFFU);
    HandProblem bf16 = store_of(BankType::bf16, head_dim(), scale);
    EXPECT_EQ(bf16.row_bits(bf16.run(set()), 0), 0x7FFFU);
  }
  // infinity * 0, from the base's side.
  HandProblem hand(BankType::f32, head_dim(), {0xFF80'0000U}, {one},
                   {{first | last, 0, one, zero}});
  EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x7FFF'FFFFU);
}

TEST_P(WalkRules, Num3SubnormalsAndSignedZerosStay) {
  // -2^-149 * 2^-149 + +0 underflows to -0, and -0 * 1 + -0 is -0.
  HandProblem negative(BankType::f32, head_dim(), {0x8000'0000U}, {0x0000'0001U},
                       {{first | last, 0, 0x8000'0001U, one}});
  EXPECT_EQ(negative.row_bits(negative.run(set()), 0), 0x8000'0000U);
  // A subnormal base times 1 plus a subnormal product.
  HandProblem small(BankType::f32, head_dim(), {0x0000'0003U}, {0x0000'0004U},
                    {{first | last, 0, one, one}});
  EXPECT_EQ(small.row_bits(small.run(set()), 0), 0x0000'0007U);
}

}  // namespace
}  // namespace chainwalk::reference
