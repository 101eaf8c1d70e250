// SPDX-License-Identifier: Apache-2.0
// The oracle's walk on problems small enough to work out by hand (REC-2 to REC-6, ARI-1 to ARI-7,
// SNP-1 to SNP-4, QNT-1 to QNT-6, QNT-10, TIL-1, NUM-1, NUM-2).
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "chainwalk/oracle/oracle.h"

namespace chainwalk::oracle::test {
namespace {

constexpr std::uint32_t first = 0x8000'0000U;
constexpr std::uint32_t last = 0x4000'0000U;
constexpr std::uint32_t invalid = 0x0002'0000U;
constexpr std::uint32_t one = 0x3F80'0000U;
constexpr std::uint32_t two = 0x4000'0000U;
constexpr std::uint32_t three = 0x4040'0000U;
constexpr std::uint32_t four = 0x4080'0000U;
constexpr std::uint32_t five = 0x40A0'0000U;

constexpr std::uint32_t token(std::uint32_t value) { return value << 9U; }

// One chunk of one stream over 4 slots, and two token rows, unless a test says otherwise.
struct Case {
  Case() {
    shape.bank_type = BankType::f32;
    shape.slots = 4;
    shape.head_dim = 1;
    shape.num_chunks = 1;
    shape.num_parallel = 1;
    shape.chunk_size = 2;
    shape.warps_per_block = 4;
    shape.blocks_per_chunk = 1;
    delta_v = {one, two};
    bank = {one, two, three, four};
  }

  void run() {
    const auto count = static_cast<std::int32_t>(records.size());
    shape.positions = count / shape.num_chunks;
    shape.delta_v_rows = static_cast<std::int64_t>(delta_v.size()) / shape.head_dim;
    if (bounds.empty()) {
      for (std::int64_t chunk = 0; chunk < shape.num_chunks; ++chunk) {
        const auto n = static_cast<std::int32_t>(shape.positions);
        bounds.insert(bounds.end(), {0, n, n, n, n});
      }
    }
    if (prefix.empty()) prefix.assign(bounds.size(), 0);
    const auto rows = static_cast<std::size_t>(shape.num_chunks * shape.positions);
    snapshot.assign(rows * static_cast<std::size_t>(shape.head_dim) * 4, 0xA5U);
    payload.assign(rows * static_cast<std::size_t>(shape.snapshot_row_bytes()), 0xA5U);
    scale.assign(rows, std::bit_cast<float>(0xA5A5'A5A5U));
    token_values.resize(delta_v.size());
    std::memcpy(token_values.data(), delta_v.data(), delta_v.size() * 4);
    Problem problem;
    problem.shape = shape;
    problem.bank_before = std::as_bytes(std::span(bank));
    problem.delta_v = token_values;
    problem.records = records;
    problem.tile_bounds = bounds;
    problem.group_prefix = prefix;
    const Outputs outputs{std::as_writable_bytes(std::span(bank)),
                          std::as_writable_bytes(std::span(snapshot)),
                          std::as_writable_bytes(std::span(payload)), scale};
    oracle::run(problem, outputs);
  }

  std::uint32_t snapshot_word(std::size_t index) const {
    std::uint32_t word = 0;
    std::memcpy(&word, snapshot.data() + index * 4, 4);
    return word;
  }
  std::uint32_t scale_bits(std::size_t row) const {
    return std::bit_cast<std::uint32_t>(scale[row]);
  }

  ProblemShape shape;
  std::vector<std::uint32_t> bank, delta_v;  // f32 patterns (a bf16 bank: two a word)
  std::vector<float> token_values;
  std::vector<Record> records;
  std::vector<std::int32_t> bounds, prefix;
  std::vector<std::uint8_t> snapshot, payload;
  std::vector<float> scale;
};

TEST(OracleWalk, OneMember) {
  Case problem;
  problem.records = {{first | last | token(1), 2, one, two}};  // 3 * 2 + 1 * 2
  problem.run();
  EXPECT_EQ(problem.bank, (std::vector<std::uint32_t>{one, two, 0x4100'0000U, four}));
}

TEST(OracleWalk, MembersCountInOrder) {
  // 2^24 + 1 - 2^24 is 0 after rounding; 1 comes last in the second chain (ARI-6).
  Case problem;
  problem.delta_v = {0x4B80'0000U, one};
  const std::uint32_t minus_one = 0xBF80'0000U;
  problem.records = {{first, 9, one, 0x7FC0'0000U}, {token(1), 9, one, 0},
                     {last, 0, minus_one, 0},       {first, 9, one, 0x7FC0'0000U},
                     {0, 9, minus_one, 0},          {last | token(1), 1, one, 0}};
  problem.run();
  EXPECT_EQ(problem.bank[0], 0U);
  EXPECT_EQ(problem.bank[1], one);
}

TEST(OracleWalk, InvalidGroupStoresNothingAndRestarts) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::raw;
  problem.records = {{first | last | invalid, 99, 0x7FC0'0000U, one},
                     {first | last | token(1), 3, one, one}};
  problem.run();
  EXPECT_EQ(problem.bank, (std::vector<std::uint32_t>{one, two, three, 0x40C0'0000U}));
  EXPECT_EQ(problem.snapshot_word(0), four);          // SNP-1: ordinal 0
  EXPECT_EQ(problem.snapshot_word(1), 0xA5A5'A5A5U);  // SNP-4
}

TEST(OracleWalk, TokensAreClampedAndOtherBitsIgnored) {
  Case problem;
  problem.records = {{first | last | token(255) | 0x3FFC'01FFU, 0, one, 0}};  // REC-2, REC-3
  problem.run();
  EXPECT_EQ(problem.bank[0], two);
}

TEST(OracleWalk, IllFormedFlagsFollowLastAndInvalidOnly) {
  Case problem;
  // Tiles [0, 2), [2, 4), [4, 5): the first is left open; the second begins at +0 without FIRST,
  // has a FIRST inside its run and an INVALID that its LAST does not share; the third is open.
  problem.bounds = {0, 2, 4, 5, 5};
  problem.records = {{first, 0, four, one},
                     {first | invalid, 0, four, one},
                     {invalid, 0, one, one},
                     {first | last | token(1), 1, one, 0},
                     {first, 2, one, one}};
  problem.run();
  EXPECT_EQ(problem.bank, (std::vector<std::uint32_t>{one, three, three, four}));
}

TEST(OracleWalk, OrdinalsStartAtTheTilesPrefix) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::raw;
  problem.bounds = {0, 1, 1, 3, 3};
  problem.prefix = {0, 1, 1, 3, 3};
  problem.records = {
      {first | last, 3, 0, one}, {first | last, 1, 0, one}, {first | last, 2, 0, one}};
  problem.run();
  EXPECT_EQ(problem.snapshot_word(0), four);
  EXPECT_EQ(problem.snapshot_word(1), two);
  EXPECT_EQ(problem.snapshot_word(2), three);
}

TEST(OracleWalk, StepsAndStreamsTakeTheirTokenRows) {
  // Two streams of one token, two steps, rows by ARI-7 with a stride of 1: 0, 1 and then 1, 2.
  Case problem;
  problem.shape.num_chunks = 5;  // the fifth chunk never runs
  problem.shape.num_parallel = 2;
  problem.shape.chunk_size = 1;
  problem.shape.delta_v_step_rows = 1;
  problem.delta_v = {one, two, three};
  const auto write = [](std::uint32_t slot) { return Record{first | last, slot, one, one}; };
  problem.records = {write(0), write(1), write(0), write(2), write(3)};
  problem.run();
  // Slot 0: 1 + 1, then + 2. Slot 1: 2 + 2. Slot 2: 3 + 3.
  EXPECT_EQ(problem.bank, (std::vector<std::uint32_t>{four, four, 0x40C0'0000U, four}));
}

TEST(OracleWalk, Bf16BankRoundsOnceAndTheSnapshotKeepsNanPayloads) {
  Case problem;
  problem.shape.bank_type = BankType::bf16;
  problem.shape.head_dim = 2;
  problem.shape.slots = 2;
  problem.shape.snapshot = SnapshotForm::raw;
  problem.bank = {0xFF81'3F80U, 0x0000'0000U};      // slot 0: 1, NaN with a payload; slot 1: zeros
  problem.delta_v = {0x3F00'8001U, one, one, one};  // just past the tie of two bf16 values
  problem.records = {{first | last, 0, one, 0x8000'0000U}};
  problem.run();
  EXPECT_EQ(problem.bank[0], 0x7FFF'3F01U);           // NUM-1
  EXPECT_EQ(problem.snapshot_word(0), 0xFF81'3F80U);  // NUM-2
}

TEST(OracleWalk, Bf16RowsOfAnF32Bank) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::bf16;
  problem.bank[1] = 0x3F81'8000U;  // a tie, to even 0x3F82
  problem.records = {{first | last, 1, one, one}};
  problem.run();
  EXPECT_EQ(problem.snapshot_word(0) & 0xFFFFU, 0x3F82U);
}

TEST(OracleWalk, Fp8Rows) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::fp8;
  problem.shape.head_dim = 4;
  problem.shape.slots = 1;
  // amax 448, NaN passed over: scale 1. Then 448, NaN, -0, and 1.0625 + 2^-23, which bf16
  // (QNT-4) makes a tie of e4m3, to even 1.
  problem.bank = {0x43E0'0000U, 0x7FC0'0001U, 0x8000'0000U, 0x3F88'0001U};
  problem.delta_v = {0, 0, 0, 0, 0, 0, 0, 0};
  problem.records = {{first | last, 0, one, one}};
  problem.run();
  EXPECT_EQ(problem.scale_bits(0), one);
  EXPECT_EQ(problem.payload, (std::vector<std::uint8_t>{0x7E, 0x7F, 0x80, 0x38}));
}

TEST(OracleWalk, ZeroRowsTakeTheLeastScaleAndInfiniteOnesAnInfiniteScale) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::fp8;
  problem.shape.head_dim = 2;
  problem.shape.slots = 2;
  problem.bank = {0, 0x8000'0000U, 0xFF80'0000U, five};
  problem.delta_v = {0, 0, 0, 0};
  problem.records = {{first | last, 0, one, one}, {first | last, 1, one, one}};
  problem.run();
  EXPECT_EQ(problem.scale_bits(0), 0x2B8D'0000U);  // bf16(1e-12)
  EXPECT_EQ(problem.scale_bits(1), 0x7F80'0000U);
  EXPECT_EQ(problem.payload, (std::vector<std::uint8_t>{0x00, 0x80, 0x7F, 0x00}));
}

TEST(OracleWalk, Int4RowsPutEvenColumnsHighAndPadOddHeads) {
  Case problem;
  problem.shape.snapshot = SnapshotForm::int4;
  problem.shape.head_dim = 5;
  problem.shape.slots = 1;
  // amax 7: scale 1. Codes of 7, -2, 2.5 (to even 2), -7, NaN (7).
  problem.bank = {0x40E0'0000U, 0xC000'0000U, 0x4020'0000U, 0xC0E0'0000U, 0xFFC0'0000U};
  problem.delta_v.assign(10, 0);
  problem.records = {{first | last, 0, one, one}};
  problem.run();
  EXPECT_EQ(problem.scale_bits(0), one);
  EXPECT_EQ(problem.payload, (std::vector<std::uint8_t>{0x7E, 0x29, 0x70}));  // QNT-6, QNT-10
}

TEST(OracleWalk, RefusesStepsAndSlotsOutOfRange) {
  Case problem;
  problem.records = {{first | last, 4, one, one}};
  try {
    problem.run();
    FAIL() << "a slot outside the bank was taken";
  } catch (const std::out_of_range& error) {
    EXPECT_STREQ(error.what(), "REC-5: chunk 0, position 0: slot 4 is outside the bank of 4 rows");
  }
  Problem empty;
  empty.shape = problem.shape;
  EXPECT_THROW(oracle::run_step(empty, 1, Outputs{}), std::out_of_range);
  EXPECT_THROW(oracle::run_step(empty, -1, Outputs{}), std::out_of_range);
}

}  // namespace
}  // namespace chainwalk::oracle::test
