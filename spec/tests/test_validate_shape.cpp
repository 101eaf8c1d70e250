// SPDX-License-Identifier: Apache-2.0
// Every message of validate_shape() (GEO-1, BIG-1, REC-1, ARI-7, PLN-1, PLN-2, PLN-3, PLN-7,
// PLN-8).
#include <gtest/gtest.h>

#include <limits>

#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

constexpr auto greatest = std::numeric_limits<std::int64_t>::max();

struct Case {
  const char* name;
  std::int64_t ProblemShape::*field;
  std::int64_t value;
  const char* rule;  // nullptr: legal
  const char* words;
};

// Names the case in messages and in the list of tests.
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

const Case cases[] = {
    {"head_dim_0", &ProblemShape::head_dim, 0, "GEO-1", "head_dim is 0; 1..1048576"},
    {"head_dim_over", &ProblemShape::head_dim, (1 << 20) + 1, "GEO-1", "head_dim is 1048577"},
    {"head_dim_least", &ProblemShape::head_dim, 1, nullptr, ""},
    {"head_dim_greatest", &ProblemShape::head_dim, 1 << 20, nullptr, ""},
    {"slots_negative", &ProblemShape::slots, -1, "BIG-1", "slots is -1; 0..2147483647"},
    {"slots_over", &ProblemShape::slots, std::int64_t{1} << 31, "BIG-1", "slots is 2147483648"},
    {"slots_greatest", &ProblemShape::slots, (std::int64_t{1} << 31) - 1, nullptr, ""},
    {"slots_0", &ProblemShape::slots, 0, nullptr, ""},
    {"chunks_negative", &ProblemShape::num_chunks, -1, "REC-1", "num_chunks is -1; at least 0"},
    {"chunks_0", &ProblemShape::num_chunks, 0, nullptr, ""},
    {"chunks_1", &ProblemShape::num_chunks, 1, nullptr, ""},
    {"positions_negative", &ProblemShape::positions, -1, "REC-1", "positions is -1; 0..1073741824"},
    {"positions_over", &ProblemShape::positions, (1 << 30) + 1, "REC-1", "positions is 1073741825"},
    {"positions_greatest", &ProblemShape::positions, 1 << 30, nullptr, ""},
    {"streams_0", &ProblemShape::num_parallel, 0, "PLN-1", "num_parallel is 0; at least 1"},
    {"streams_too_many_rows", &ProblemShape::num_parallel, 5, "PLN-2",
     "delta_v_rows is 32; at least 5 streams of 8"},
    {"streams_greatest", &ProblemShape::num_parallel, greatest, "PLN-2", "9223372036854775807"},
    {"tokens_0", &ProblemShape::chunk_size, 0, "PLN-1", "chunk_size is 0; 1..256"},
    {"tokens_over", &ProblemShape::chunk_size, 257, "PLN-1", "chunk_size is 257"},
    {"rows_negative", &ProblemShape::delta_v_rows, -1, "PLN-2", "delta_v_rows is -1; at least 0"},
    {"rows_too_few", &ProblemShape::delta_v_rows, 15, "PLN-2", "delta_v_rows is 15"},
    {"rows_overflow", &ProblemShape::delta_v_rows, greatest, "PLN-7", "delta_v is"},
    {"step_rows_negative", &ProblemShape::delta_v_step_rows, -1, "ARI-7",
     "delta_v_step_rows is -1"},
    {"step_rows_0", &ProblemShape::delta_v_step_rows, 0, nullptr, ""},
    {"step_rows_fit", &ProblemShape::delta_v_step_rows, 16, nullptr, ""},
    {"step_rows_past_the_end", &ProblemShape::delta_v_step_rows, 17, "PLN-8",
     "the last step is 1; with 32 token rows and delta_v_step_rows 17 the greatest legal step is "
     "0"},
    {"step_rows_over_numel", &ProblemShape::delta_v_step_rows, 129, "ARI-7", "is 129; 0..128"},
    {"warps_5", &ProblemShape::warps_per_block, 5, "PLN-1", "warps_per_block is 5; 4, 8 or 16"},
    {"warps_16", &ProblemShape::warps_per_block, 16, nullptr, ""},
    {"blocks_negative", &ProblemShape::blocks_per_chunk, -1, "PLN-1", "blocks_per_chunk is -1"},
    {"blocks_overflow", &ProblemShape::blocks_per_chunk, greatest / 2, "PLN-7", "blocks_per_chunk"},
    {"blocks_0", &ProblemShape::blocks_per_chunk, 0, nullptr, ""},
};

class ValidateShape : public testing::TestWithParam<Case> {};

TEST_P(ValidateShape, NamesTheField) {
  ProblemShape shape = tests::SmallProblem().shape;
  shape.*GetParam().field = GetParam().value;
  const auto faults = validate_shape(shape);
  if (GetParam().rule == nullptr) {
    EXPECT_TRUE(faults.empty()) << faults.front().message;
    return;
  }
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].rule, GetParam().rule);
  EXPECT_NE(faults[0].message.find(GetParam().words), std::string::npos) << faults[0].message;
}

INSTANTIATE_TEST_SUITE_P(Fields, ValidateShape, testing::ValuesIn(cases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(ValidateShapeProducts, RulePLN7EachTensorOverflows) {
  ProblemShape shape = tests::SmallProblem().shape;
  shape.num_parallel = 1;
  shape.delta_v_step_rows = 0;
  shape.num_chunks = greatest / (6 * 16) + 1;
  EXPECT_NE(validate_shape(shape).at(0).message.find("records is"), std::string::npos);
  shape.positions = 0;
  shape.num_chunks = greatest / (5 * 4) + 1;
  EXPECT_NE(validate_shape(shape).at(0).message.find("tile_bounds is"), std::string::npos);
  shape = tests::SmallProblem().shape;
  shape.positions = 1 << 30;
  shape.num_chunks = 1 << 20;
  shape.head_dim = 1 << 20;
  EXPECT_NE(validate_shape(shape).at(0).message.find("the snapshot is"), std::string::npos);
}

TEST(ValidateShapeProducts, RulePLN8StepsFitIn31Bits) {
  ProblemShape shape = tests::SmallProblem().shape;
  shape.positions = 0;
  shape.num_parallel = 1;
  shape.delta_v_step_rows = 0;
  shape.num_chunks = std::int64_t{1} << 31;  // last step 2^31 - 1
  EXPECT_TRUE(validate_shape(shape).empty());
  ++shape.num_chunks;
  ASSERT_EQ(validate_shape(shape).size(), 1U);
  EXPECT_EQ(validate_shape(shape)[0].rule, "PLN-8");
}

TEST(ValidateShapeForms, RulePLN3Bf16RowsNeedAnF32Bank) {
  ProblemShape shape = tests::SmallProblem().shape;
  shape.snapshot = SnapshotForm::bf16;
  EXPECT_TRUE(validate_shape(shape).empty());
  shape.bank_type = BankType::bf16;
  ASSERT_EQ(validate_shape(shape).size(), 1U);
  EXPECT_EQ(validate_shape(shape)[0].rule, "PLN-3");
}

TEST(ValidateShapeForms, EveryFaultOfSeveralIsNamed) {
  ProblemShape shape;
  shape.head_dim = shape.slots = shape.num_chunks = shape.positions = -1;
  EXPECT_EQ(validate_shape(shape).size(), 7U);  // and num_parallel, chunk_size, warps_per_block
}

}  // namespace
}  // namespace chainwalk
