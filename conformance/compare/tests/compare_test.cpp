// SPDX-License-Identifier: Apache-2.0
// Comparison of outputs: every flipped bit is found at its place, and only defined rows count.
#include "chainwalk/conformance/compare.h"

#include <gtest/gtest.h>

#include <cstring>

#include "chainwalk/generate/generate.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::conformance {
namespace {

Problem make(BankType bank_type, SnapshotForm snapshot, std::int64_t head_dim) {
  generate::Parameters parameters;
  parameters.bank_type = bank_type;
  parameters.snapshot = snapshot;
  parameters.head_dim = head_dim;
  parameters.slots = 40;
  parameters.positions = 20;
  parameters.invalid_share = 0.4;
  parameters.extra_chunks = 1;
  return generate::make_problem(parameters, 17, 3);
}

std::int64_t valid_groups(const Problem& problem, std::int64_t chunk) {
  std::int64_t valid = 0;
  for (const Group& group : groups_of(problem.chunk_records(chunk))) valid += group.ordinal >= 0;
  return valid;
}

TEST(Compare, EqualOutputsCountEveryDefinedElement) {
  const Problem problem = make(BankType::bf16, SnapshotForm::int4, 7);
  const OutputBuffers outputs(problem);
  const Comparison result = compare(problem, outputs.views(), outputs.views());
  EXPECT_TRUE(result.equal());
  ASSERT_EQ(result.tensors.size(), 3U);
  std::int64_t rows = 0;
  for (std::int64_t chunk = 0; chunk < 4; ++chunk) rows += valid_groups(problem, chunk);
  EXPECT_EQ(result.tensors[0].compared, problem.shape.slots * 7);
  EXPECT_EQ(result.tensors[1].compared, rows * 8);
  EXPECT_EQ(result.tensors[2].compared, rows);
  EXPECT_EQ(result.compared(), problem.shape.slots * 7 + rows * 9);
  EXPECT_EQ(result.differing(), 0);
}

// Flips one bit and expects exactly one difference at the place.
void expect_found(const Problem& problem, std::span<std::byte> tensor, const OutputBuffers& actual,
                  std::size_t byte, unsigned bit, const Difference& place) {
  const OutputBuffers expected(problem);
  tensor[byte] ^= std::byte{1} << bit;
  const Comparison result = compare(problem, expected.views(), actual.views());
  tensor[byte] ^= std::byte{1} << bit;
  ASSERT_EQ(result.differences.size(), 1U);
  EXPECT_EQ(result.differences[0].tensor, place.tensor);
  EXPECT_EQ(result.differences[0].row, place.row);
  EXPECT_EQ(result.differences[0].column, place.column);
  EXPECT_EQ(result.differences[0].count, 1);
  EXPECT_EQ(result.differences[0].expected, place.expected);
  EXPECT_EQ(result.differences[0].actual, place.actual);
}

TEST(Compare, FindsAFlippedBitOfTheBank) {
  const Problem problem = make(BankType::f32, SnapshotForm::none, 5);
  const OutputBuffers actual(problem);
  const auto bank = actual.views().bank;
  const std::uint32_t bits = 0x3F80'1234U;
  // bank_before is the problem's own, so the same word is put into both sides.
  Problem same = problem;
  std::vector<std::byte> before(problem.bank_before.begin(), problem.bank_before.end());
  std::memcpy(before.data() + (3 * 5 + 4) * 4, &bits, 4);
  same.bank_before = before;
  std::memcpy(bank.data() + (3 * 5 + 4) * 4, &bits, 4);
  expect_found(same, bank, actual, (3 * 5 + 4) * 4 + 2, 7,
               {"bank", 3, 4, "0x3F801234", "0x3F001234", 1});
}

TEST(Compare, FindsAFlippedBitOfEachRowTensor) {
  {
    const Problem problem = make(BankType::bf16, SnapshotForm::raw, 6);
    const OutputBuffers actual(problem);
    expect_found(problem, actual.views().snapshot, actual, 2 * 5 + 1, 0,
                 {"snapshot", 0, 5, "0xA5A5", "0xA4A5", 1});
  }
  {
    const Problem problem = make(BankType::f32, SnapshotForm::bf16, 6);
    const OutputBuffers actual(problem);
    expect_found(problem, actual.views().snapshot, actual, 20 * 12 + 2 * 2, 4,
                 {"snapshot", 20, 2, "0xA5A5", "0xA5B5", 1});
  }
  {
    const Problem problem = make(BankType::f32, SnapshotForm::fp8, 6);
    const OutputBuffers actual(problem);
    expect_found(problem, actual.views().payload, actual, 6 + 3, 1,
                 {"payload", 1, 3, "0xA5", "0xA7", 1});
    expect_found(problem, std::as_writable_bytes(actual.views().scale), actual, 3, 0,
                 {"scale", 0, 0, "0xA5A5A5A5", "0xA4A5A5A5", 1});
  }
  {
    const Problem problem = make(BankType::f32, SnapshotForm::int4, 6);
    const OutputBuffers actual(problem);
    // The high nibble of byte 1 is column 2, the low one column 3.
    expect_found(problem, actual.views().payload, actual, 1, 5, {"payload", 0, 2, "0xA", "0x8", 1});
    expect_found(problem, actual.views().payload, actual, 1, 1, {"payload", 0, 3, "0x5", "0x7", 1});
  }
}

TEST(Compare, RowsOfNoValidGroupCountOnlyWherePoisoned) {
  const Problem problem = make(BankType::bf16, SnapshotForm::raw, 4);
  const OutputBuffers expected(problem);
  const OutputBuffers actual(problem);
  const std::int64_t chunk = 1;
  const std::int64_t row = chunk * 20 + valid_groups(problem, chunk);
  ASSERT_LT(row, (chunk + 1) * 20);
  actual.views().snapshot[static_cast<std::size_t>(row * 8 + 2)] = std::byte{0x11};
  EXPECT_TRUE(compare(problem, expected.views(), actual.views()).equal());
  const Comparison strict =
      compare(problem, expected.views(), actual.views(), {.poison = OutputBuffers::default_poison});
  ASSERT_EQ(strict.differences.size(), 1U);
  EXPECT_EQ(strict.differences[0].row, row);
  EXPECT_EQ(strict.differences[0].column, 1);
  EXPECT_EQ(strict.tensors[1].compared, problem.shape.snapshot_rows() * 4);
  EXPECT_EQ(concerned_rules(problem, strict.differences[0]),
            (std::vector<std::string>{"SNP-1", "SNP-4"}));
}

TEST(Compare, RowsOfChunksThatNeverRunStayAsTheyWere) {
  const Problem problem = make(BankType::bf16, SnapshotForm::raw, 4);
  const OutputBuffers expected(problem);
  const OutputBuffers actual(problem);
  actual.views().snapshot[static_cast<std::size_t>(4 * 20 * 8)] = std::byte{0};
  EXPECT_TRUE(compare(problem, expected.views(), actual.views()).equal());
  EXPECT_EQ(
      compare(problem, expected.views(), actual.views(), {.poison = OutputBuffers::default_poison})
          .differences.at(0)
          .row,
      80);
}

TEST(Compare, CountsEveryDifferingElementAndNamesTheFirst) {
  const Problem problem = make(BankType::bf16, SnapshotForm::none, 8);
  const OutputBuffers expected(problem);
  const OutputBuffers actual(problem);
  for (const std::size_t element : {37U, 9U, 200U}) {
    actual.views().bank[2 * element] ^= std::byte{1};
  }
  const Comparison result = compare(problem, expected.views(), actual.views());
  ASSERT_EQ(result.differences.size(), 1U);
  EXPECT_EQ(result.differences[0].count, 3);
  EXPECT_EQ(result.differences[0].row, 1);
  EXPECT_EQ(result.differences[0].column, 1);
}

TEST(Compare, NamesTheRulesOfAWrittenAndOfAnUntouchedBankRow) {
  const Problem problem = make(BankType::bf16, SnapshotForm::none, 8);
  std::vector<bool> written(static_cast<std::size_t>(problem.shape.slots));
  for (std::int64_t chunk = 0; chunk < 4; ++chunk) {
    for (const Record& record : problem.chunk_records(chunk)) {
      if (is_last(record) && !is_invalid(record)) written[record.slot] = true;
    }
  }
  for (std::size_t row = 0; row < written.size(); ++row) {
    Difference difference;
    difference.tensor = "bank";
    difference.row = static_cast<std::int64_t>(row);
    EXPECT_EQ(concerned_rules(problem, difference).front(), written[row] ? "ARI-1" : "BIG-2");
  }
}

TEST(Compare, OutputsOfAnotherSizeAreRefused) {
  const Problem problem = make(BankType::bf16, SnapshotForm::fp8, 8);
  const OutputBuffers outputs(problem);
  ConstOutputs shorter = outputs.views();
  shorter.payload = shorter.payload.first(7);
  EXPECT_THROW(compare(problem, outputs.views(), shorter), std::invalid_argument);
}

}  // namespace
}  // namespace chainwalk::conformance
