// SPDX-License-Identifier: Apache-2.0
// The trace of a column agrees with the run, and with values worked out by hand (ARI, SNP, QNT).
#include "chainwalk/reference/trace.h"

#include <gtest/gtest.h>

#include <cstring>

#include "chainwalk/generate/generate.h"
#include "hand_problem.h"

namespace chainwalk::reference {
namespace {

TEST(Trace, Ari1Ari2Ari7ByHand) {
  // 3 * 1 + 2 * 1 = 5, then 1 * 2 + 5 = 7, after a step that left 1 in the row.
  HandProblem hand(BankType::bf16, 3, {zero, zero}, {three, two, one},
                   {{first, 9, one, zero},
                    {last | invalid, 9, one, zero},
                    {first | token(2), 9, one, zero},
                    {last | token(3), 1, zero, zero},
                    {first | token(0), 9, one, zero},
                    {last | token(1), 1, one, two},
                    {first | last | invalid, 0, one, zero},
                    {first | last, 0, zero, zero}});
  hand.shape.num_chunks = 2;
  hand.shape.snapshot = SnapshotForm::raw;
  hand.run(InstructionSet::portable);
  const Trace trace = trace_column(hand.problem(), 1, 0, 2);
  EXPECT_EQ(trace.step, 1);
  EXPECT_EQ(trace.stream, 0);
  EXPECT_TRUE(trace.valid);
  ASSERT_EQ(trace.members.size(), 2U);
  EXPECT_EQ(trace.members[0].position, 0);
  EXPECT_EQ(trace.members[0].acc_before, 0.0F);
  EXPECT_EQ(trace.members[0].acc_after, 3.0F);
  EXPECT_EQ(trace.members[1].token_row, 1);
  EXPECT_EQ(trace.members[1].acc_after, 5.0F);
  EXPECT_EQ(trace.slot, 1U);
  EXPECT_EQ(trace.base, 1.0F);
  EXPECT_EQ(trace.out, 7.0F);
  EXPECT_EQ(trace.stored_bits, 0x40E0U);
  EXPECT_EQ(trace.snapshot_row, 4);
  EXPECT_EQ(trace.snapshot_bits, 0x3F80U);

  const Trace clamped = trace_column(hand.problem(), 0, 1, 0);
  EXPECT_EQ(clamped.members[1].raw_token, 3);
  EXPECT_EQ(clamped.members[1].token, 2);
  EXPECT_FALSE(trace_column(hand.problem(), 0, 0, 0).valid);
  EXPECT_FALSE(trace_column(hand.problem(), 1, 1, 0).valid);
}

TEST(Trace, NamesTheArgumentThatIsOutOfRange) {
  HandProblem hand(BankType::f32, 3, {zero}, {one}, {{first | last, 0, one, one}});
  hand.run(InstructionSet::portable);
  const auto message = [&](std::int64_t chunk, std::int64_t group, std::int64_t column) {
    try {
      trace_column(hand.problem(), chunk, group, column);
    } catch (const std::out_of_range& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message(1, 0, 0), "chunk is 1; it must be in 0..0");
  EXPECT_EQ(message(0, -1, 0), "group is -1; it must be in 0..0");
  EXPECT_EQ(message(0, 0, 3), "column is 3; it must be in 0..2");
}

// What the run leaves for one group of the last step, where nothing overwrites it.
void expect_trace_of(const Problem& problem, const Outputs& outputs, std::int64_t chunk,
                     std::int64_t group, std::int64_t column) {
  const ProblemShape& shape = problem.shape;
  const Trace trace = trace_column(problem, chunk, group, column);
  if (!trace.valid) return;
  const auto size = static_cast<std::size_t>(element_size(shape.bank_type));
  std::uint32_t stored = 0;
  std::memcpy(
      &stored,
      outputs.bank.data() + (static_cast<std::size_t>(trace.slot * shape.head_dim + column)) * size,
      size);
  EXPECT_EQ(trace.stored_bits, stored);
  ASSERT_EQ(trace.snapshot_row.has_value(), shape.snapshot != SnapshotForm::none);
  if (is_quantized(shape.snapshot)) {
    const auto row = static_cast<std::size_t>(*trace.snapshot_row);
    EXPECT_EQ(f32_bits(*trace.quantizer_scale), f32_bits(outputs.scale[row]));
    const bool fp8 = shape.snapshot == SnapshotForm::fp8;
    const auto at = row * static_cast<std::size_t>(shape.snapshot_row_bytes()) +
                    static_cast<std::size_t>(fp8 ? column : column / 2);
    const auto byte = std::to_integer<std::uint32_t>(outputs.payload[at]);
    const std::uint32_t nibble = column % 2 == 0 ? byte >> 4U : byte & 15U;
    EXPECT_EQ(*trace.snapshot_bits, fp8 ? byte : nibble);
  } else if (is_dense(shape.snapshot)) {
    const auto element = static_cast<std::size_t>(shape.snapshot_row_bytes() / shape.head_dim);
    std::uint32_t bits = 0;
    std::memcpy(
        &bits,
        outputs.snapshot.data() +
            static_cast<std::size_t>(*trace.snapshot_row * shape.head_dim + column) * element,
        element);
    EXPECT_EQ(*trace.snapshot_bits, bits);
  }
}

TEST(Trace, EqualsTheRunOnRandomProblems) {
  std::int64_t traced = 0;
  for (std::uint64_t index = 0; index < 120; ++index) {
    const auto parameters = generate::draw_parameters(21, index, 1 << 12);
    const Problem problem = generate::make_problem(parameters, 21, index);
    const ProblemShape& shape = problem.shape;
    if (shape.steps() == 0 || shape.tiles_per_chunk() == 0) continue;
    const OutputBuffers outputs(problem);
    run(problem, outputs.views());
    for (std::int64_t stream = 0; stream < shape.num_parallel; ++stream) {
      const std::int64_t chunk = shape.chunk(shape.steps() - 1, stream);
      const auto groups = static_cast<std::int64_t>(groups_of(problem.chunk_records(chunk)).size());
      for (std::int64_t group = 0; group < groups; group += 1 + groups / 4) {
        SCOPED_TRACE("index " + std::to_string(index) + ", group " + std::to_string(group));
        expect_trace_of(problem, outputs.views(), chunk, group, shape.head_dim - 1);
        expect_trace_of(problem, outputs.views(), chunk, group, shape.head_dim / 2);
        ++traced;
      }
    }
  }
  EXPECT_GT(traced, 100);
}

}  // namespace
}  // namespace chainwalk::reference
