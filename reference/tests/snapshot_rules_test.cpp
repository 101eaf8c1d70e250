// SPDX-License-Identifier: Apache-2.0
// Snapshot rows on problems worked out by hand (SNP-1 to SNP-4, NUM-2, NUM-5, QNT-1 to QNT-7,
// QNT-10, TIL-4).
#include <gtest/gtest.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "every_set.h"
#include "hand_problem.h"

namespace chainwalk::reference {
namespace {

using SnapshotRules = EverySetAndHead;
INSTANTIATE_TEST_SUITE_P(Reference, SnapshotRules, every_set_and_head(), set_and_head_name);

TEST_P(SnapshotRules, Snp1Snp4OrdinalsCountValidGroups) {
  // Two tiles: valid, INVALID | valid. Rows 0 and 1 are written, row 2 keeps its poison.
  HandProblem hand(BankType::f32, head_dim(), {one, two, three}, {one},
                   {{first | last, 2, one, one},
                    {first | last | invalid, 0, one, one},
                    {first | last, 1, one, one}});
  hand.shape.snapshot = SnapshotForm::raw;
  hand.bounds = {0, 2, 2, 3, 3};
  const OutputBuffers outputs = hand.run(set());
  for (std::int64_t column = 0; column < head_dim(); ++column) {
    ASSERT_EQ(hand.snapshot_bits(outputs, 0, column), three);  // before the write, SNP-2
    ASSERT_EQ(hand.snapshot_bits(outputs, 1, column), two);
    ASSERT_EQ(hand.snapshot_bits(outputs, 2, column), poison);
  }
  EXPECT_EQ(hand.row_bits(outputs, 2), 0x4080'0000U);
}

TEST_P(SnapshotRules, Snp1RowsOfStepAndStream) {
  // P 2, n 1, two steps: chunk c goes to row c; step 1 sees what step 0 left.
  const Record to_zero{first | last, 0, one, one};
  const Record to_one{first | last, 1, one, one};
  HandProblem hand(BankType::bf16, head_dim(), {0x3F80U, 0x4080U}, {one, one},
                   {to_zero, to_one, to_zero, to_one});
  hand.shape.num_parallel = 2;
  hand.shape.num_chunks = 4;
  hand.shape.chunk_size = 1;
  hand.shape.snapshot = SnapshotForm::raw;
  const OutputBuffers outputs = hand.run(set());
  const std::uint32_t rows[] = {0x3F80U, 0x4080U, 0x4000U, 0x40A0U};  // 1, 4, 2, 5
  for (std::int64_t row = 0; row < 4; ++row) {
    EXPECT_EQ(hand.snapshot_bits(outputs, row, head_dim() - 1), rows[row]);
  }
}

TEST_P(SnapshotRules, Num2RawCopiesKeepNanPayloads) {
  HandProblem hand(BankType::f32, head_dim(), {0xFFA0'0001U}, {one}, {{first | last, 0, one, one}});
  hand.shape.snapshot = SnapshotForm::raw;
  const OutputBuffers outputs = hand.run(set());
  EXPECT_EQ(hand.snapshot_bits(outputs, 0, head_dim() - 1), 0xFFA0'0001U);
  EXPECT_EQ(hand.row_bits(outputs, 0), 0x7FFF'FFFFU);  // NUM-1
}

TEST_P(SnapshotRules, Snp3RoundsToBf16) {
  const std::pair<std::uint32_t, std::uint32_t> cases[] = {{0x3F80'8000U, 0x3F80U},
                                                           {0x3F81'8000U, 0x3F82U},
                                                           {0xFF80'0001U, 0x7FFFU},
                                                           {0x7F7F'FFFFU, 0x7F80U},
                                                           {0x8000'0000U, 0x8000U}};
  for (const auto& [base, stored] : cases) {
    HandProblem hand(BankType::f32, head_dim(), {base}, {one}, {{first | last, 0, one, one}});
    hand.shape.snapshot = SnapshotForm::bf16;
    const OutputBuffers outputs = hand.run(set());
    for (std::int64_t column = 0; column < head_dim(); ++column) {
      ASSERT_EQ(hand.snapshot_bits(outputs, 0, column), stored) << std::hex << base;
    }
  }
}

// A row that holds `values` in turn, with `greatest` in its last column; quantized.
struct Quantized {
  Quantized(BankType type, SnapshotForm form, InstructionSet set, std::int64_t head_dim,
            const std::vector<std::uint32_t>& values, std::uint32_t greatest)
      : hand(type, head_dim, {greatest}, {one}, {{first | last, 0, one, one}}) {
    hand.shape.snapshot = form;
    for (std::int64_t column = 0; column + 1 < head_dim; ++column) {
      hand.set_bank(0, column, values[static_cast<std::size_t>(column) % values.size()]);
    }
    outputs = std::make_unique<OutputBuffers>(hand.run(set));
  }
  unsigned byte(std::int64_t index) const {
    return std::to_integer<unsigned>(outputs->views().payload[static_cast<std::size_t>(index)]);
  }
  std::uint32_t scale() const { return f32_bits(outputs->views().scale[0]); }

  HandProblem hand;
  std::unique_ptr<OutputBuffers> outputs;
};

std::uint32_t bank_bits_of(BankType type, std::uint32_t f32) {
  return type == BankType::bf16 ? f32 >> 16U : f32;
}

TEST_P(SnapshotRules, Qnt5CodesOfUnitScale) {
  // amax 448 gives scale 1 (QNT-3), so a quotient is the value itself.
  const std::vector<std::pair<std::uint32_t, unsigned>> cases = {
      {0x3F80'0000U, 0x38U},   // 1
      {0x3F88'0000U, 0x38U},   // 1.0625: a tie, even below
      {0x3F98'0000U, 0x3AU},   // 1.1875: a tie, even above
      {0x8000'0000U, 0x80U},   // -0
      {0x3B00'0000U, 0x01U},   // 2^-9
      {0x3A80'0000U, 0x00U},   // 2^-10: a tie
      {0xBB40'0000U, 0x82U},   // -3 * 2^-10: a tie
      {0x3C80'0000U, 0x08U},   // 2^-6, the least normal
      {0x3C78'0000U, 0x08U},   // 15.5 * 2^-10 -> 8 * 2^-9: subnormal rounds up to normal
      {0xFFC0'0000U, 0x7FU},   // NaN: passed over by amax
      {0xC3D8'0000U, 0xFEU}};  // -432: a tie of -416 and -448, even is -448
  for (const BankType type : {BankType::bf16, BankType::f32}) {
    std::vector<std::uint32_t> values;
    for (const auto& entry : cases) values.push_back(bank_bits_of(type, entry.first));
    const Quantized row(type, SnapshotForm::fp8, set(), head_dim(), values,
                        bank_bits_of(type, 0x43E0'0000U));
    EXPECT_EQ(row.scale(), one);
    for (std::int64_t column = 0; column + 1 < head_dim(); ++column) {
      ASSERT_EQ(row.byte(column), cases[static_cast<std::size_t>(column) % cases.size()].second)
          << "column " << column;
    }
    EXPECT_EQ(row.byte(head_dim() - 1), 0x7EU);
  }
}

TEST_P(SnapshotRules, Qnt6Qnt10NibblesOfUnitScale) {
  const std::vector<std::pair<std::uint32_t, unsigned>> cases = {{0x4020'0000U, 2U},   // 2.5: a tie
                                                                 {0x4060'0000U, 4U},   // 3.5: a tie
                                                                 {0xC020'0000U, 14U},  // -2.5
                                                                 {0xBF00'0000U, 0U},   // -0.5
                                                                 {0xC0E0'0000U, 9U},   // -7
                                                                 {0xFFC0'0000U, 7U},   // NaN
                                                                 {0xBFA0'0000U, 15U}};  // -1.25
  for (const BankType type : {BankType::bf16, BankType::f32}) {
    std::vector<std::uint32_t> values;
    for (const auto& entry : cases) values.push_back(bank_bits_of(type, entry.first));
    const Quantized row(type, SnapshotForm::int4, set(), head_dim(), values,
                        bank_bits_of(type, 0x40E0'0000U));  // 7
    EXPECT_EQ(row.scale(), one);
    const auto nibble = [&](std::int64_t column) {
      if (column >= head_dim()) return 0U;  // QNT-10
      if (column == head_dim() - 1) return 7U;
      return cases[static_cast<std::size_t>(column) % cases.size()].second;
    };
    ASSERT_EQ(row.outputs->views().payload.size(), static_cast<std::size_t>(head_dim() + 1) / 2);
    for (std::int64_t column = 0; column < head_dim(); column += 2) {
      ASSERT_EQ(row.byte(column / 2), nibble(column) * 16 + nibble(column + 1))
          << "column " << column;
    }
  }
}

TEST_P(SnapshotRules, Qnt3ScaleIsRoundedToBf16) {
  // amax * f32(1/qmax) in f32, then bf16, computed in exact rationals: 1 / 448 gives 3B124925 and
  // 3B12, 5 / 448 gives 3C36DB6E and 3C37.
  const std::tuple<SnapshotForm, std::uint32_t, std::uint32_t> cases[] = {
      {SnapshotForm::fp8, one, 0x3B12'0000U},
      {SnapshotForm::fp8, 0x40A0'0000U, 0x3C37'0000U},
      {SnapshotForm::fp8, 0xC0A0'0000U, 0x3C37'0000U},  // of the magnitude
      {SnapshotForm::int4, one, 0x3E12'0000U},
      {SnapshotForm::int4, 0x40A0'0000U, 0x3F37'0000U},
      {SnapshotForm::fp8, zero, 0x2B8D'0000U},  // the floor, 2B8CBCCC, in bf16
      {SnapshotForm::int4, zero, 0x2B8D'0000U},
      {SnapshotForm::fp8, 0x7FC0'0000U, 0x2B8D'0000U},  // NaN alone: passed over (QNT-2)
      {SnapshotForm::fp8, 0xFF80'0000U, 0x7F80'0000U}};
  for (const auto& [form, greatest, scale] : cases) {
    EXPECT_EQ(Quantized(BankType::f32, form, set(), head_dim(), {zero}, greatest).scale(), scale)
        << std::hex << greatest;
    EXPECT_EQ(Quantized(BankType::bf16, form, set(), head_dim(), {zero}, greatest >> 16U).scale(),
              scale)
        << std::hex << greatest;
  }
}

TEST_P(SnapshotRules, Qnt4QuotientsOfAnInfiniteScale) {
  // 1 / inf is 0, -1 / inf is -0, inf / inf is NaN.
  const Quantized row(BankType::f32, SnapshotForm::fp8, set(), head_dim(), {one, minus_one},
                      0x7F80'0000U);
  for (std::int64_t column = 0; column + 1 < head_dim(); ++column) {
    ASSERT_EQ(row.byte(column), column % 2 == 0 ? 0x00U : 0x80U);
  }
  EXPECT_EQ(row.byte(head_dim() - 1), 0x7FU);
}

TEST_P(SnapshotRules, Qnt4DividesInIeeeAndRoundsToBf16) {
  // s = 3B120000. 17/16 s is 3B1B2000: one ulp more is over the e4m3 tie in f32 and on it in bf16.
  // 19/16 s is 3B2D6000. (17/16 + 2^-8) s is 3B1BB200, a tie of bf16; one ulp more is over it.
  const std::pair<std::uint32_t, unsigned> cases[] = {{0x3B1B'2001U, 0x38U},
                                                      {0x3B2D'5FFFU, 0x3AU},
                                                      {0x3B1B'B200U, 0x38U},
                                                      {0x3B1B'B201U, 0x39U},
                                                      {0x3B12'0000U, 0x38U}};
  for (const auto& [value, code] : cases) {
    const Quantized row(BankType::f32, SnapshotForm::fp8, set(), head_dim(), {value}, one);
    EXPECT_EQ(row.scale(), 0x3B12'0000U);
    for (std::int64_t column = 0; column + 1 < head_dim(); ++column) {
      ASSERT_EQ(row.byte(column), code) << std::hex << value;
    }
  }
}

TEST_P(SnapshotRules, Qnt7BankIsTheSameWithEveryForm) {
  for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                  SnapshotForm::fp8, SnapshotForm::int4}) {
    HandProblem hand(BankType::f32, head_dim(), {three}, {two}, {{first | last, 0, one, two}});
    hand.shape.snapshot = form;
    EXPECT_EQ(hand.row_bits(hand.run(set()), 0), 0x4100'0000U) << to_string(form);  // 3 * 2 + 2
  }
}

}  // namespace
}  // namespace chainwalk::reference
