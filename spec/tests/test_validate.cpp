// SPDX-License-Identifier: Apache-2.0
// Every message of validate(), from a valid problem with one thing wrong (REC-1, REC-5, REC-6,
// TIL-1, TIL-3, TIL-4, ARI-7, PLN-2, PLN-5, PLN-8).
#include <gtest/gtest.h>

#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

using tests::SmallProblem;

// The only fault is this one, and its message says these words.
void expect_fault(const std::vector<InputFault>& faults, const std::string& rule,
                  std::optional<std::int64_t> chunk, std::optional<std::int64_t> position,
                  const std::vector<std::string>& words) {
  ASSERT_EQ(faults.size(), 1U) << (faults.empty() ? "" : faults[1].message);
  EXPECT_EQ(faults[0].rule, rule);
  EXPECT_EQ(faults[0].chunk, chunk);
  EXPECT_EQ(faults[0].position, position);
  EXPECT_TRUE(faults[0].message.starts_with(rule + ": ")) << faults[0].message;
  for (const std::string& word : words) {
    EXPECT_NE(faults[0].message.find(word), std::string::npos)
        << "'" << word << "' is not in: " << faults[0].message;
  }
}

TEST(Validate, SmallProblemIsWellFormed) {
  SmallProblem small;
  EXPECT_TRUE(validate(small.problem()).empty());
  EXPECT_NO_THROW(require_valid(small.problem()));
}

TEST(Validate, RuleREC6OrdinalsOfIllFormedFlagsStayInTheChunk) {
  SmallProblem small;
  small.record(1, 1).x |= record_first;
  small.prefix_at(1, 3) = 5;  // one valid group ends in the tile: row 5 of 6
  const auto rules_of = [&] {
    std::string rules;
    for (const InputFault& fault : validate(small.problem())) rules += fault.rule + " ";
    return rules;
  };
  EXPECT_EQ(rules_of(), "REC-6 ");
  for (const std::int32_t prefix : {6, 0x7FFF'FFFF, -1}) {
    small.prefix_at(1, 3) = prefix;
    EXPECT_EQ(rules_of(), "REC-6 TIL-4 ") << prefix;
    const InputFault fault = validate(small.problem()).back();
    EXPECT_EQ(fault.chunk, 1);
    EXPECT_EQ(fault.position, 3);
    EXPECT_NE(fault.message.find("is " + std::to_string(prefix) + "; 0..5 is needed"),
              std::string::npos)
        << fault.message;
  }
  small.shape.snapshot = SnapshotForm::none;
  EXPECT_EQ(rules_of(), "REC-6 ");
}

TEST(Validate, RuleREC5SlotOutsideTheBank) {
  SmallProblem small;
  small.record(1, 5).slot = 4;
  expect_fault(validate(small.problem()), "REC-5", 1, 5, {"slot", "is 4;", "less than 4"});
  small.record(1, 5).slot = 0xFFFF'FFFFU;
  expect_fault(validate(small.problem()), "REC-5", 1, 5, {"4294967295"});
}

TEST(Validate, RuleREC5TwoWritersInOneChunk) {
  SmallProblem small;
  small.record(0, 5).slot = 0;
  expect_fault(validate(small.problem()), "REC-5", 0, 5,
               {"slot 0", "group of chunk 0", "position 2"});
}

TEST(Validate, RuleREC5TwoWritersInTwoStreams) {
  SmallProblem small;
  small.record(3, 2).slot = 1;
  expect_fault(validate(small.problem()), "REC-5", 3, 2,
               {"slot 1", "group of chunk 2", "position 5"});
}

TEST(Validate, RuleREC5SlotsMayReturnInALaterStepAndInInvalidGroups) {
  SmallProblem small;  // steps 0 and 1 write the same slots already
  small.record(0, 3).slot = 0;
  small.record(1, 3).slot = 0xFFFF'FFFFU;
  EXPECT_TRUE(validate(small.problem()).empty());
}

TEST(Validate, RuleREC6MissingFirst) {
  SmallProblem small;
  small.shape.snapshot = SnapshotForm::none;
  small.record(2, 0).x &= ~record_first;
  expect_fault(validate(small.problem()), "REC-6", 2, 0, {"0x00000000", "FIRST"});
}

TEST(Validate, RuleREC6FirstInsideAGroup) {
  SmallProblem small;
  small.record(0, 1).x |= record_first;
  expect_fault(validate(small.problem()), "REC-6", 0, 1,
               {"0x80000600", "FIRST inside the group that begins at position 0"});
}

TEST(Validate, RuleREC6InvalidDiffersInsideAGroup) {
  SmallProblem small;
  small.record(0, 1).x |= record_invalid;
  expect_fault(validate(small.problem()), "REC-6", 0, 1,
               {"0x00020600", "is set here and clear at the group's first position 0"});
  small.record(0, 1).x &= ~record_invalid;
  small.record(0, 0).x |= record_invalid;
  small.record(0, 1).x |= record_invalid;
  expect_fault(validate(small.problem()), "REC-6", 0, 2, {"is clear here and set"});
}

TEST(Validate, RuleREC6ChunkEndsInsideAGroup) {
  SmallProblem small;
  small.record(3, 5).x &= ~record_last;
  expect_fault(validate(small.problem()), "REC-6", 3, 5,
               {"ends inside the group that begins at position 4"});
}

TEST(Validate, RuleREC6FlagsMayBeAcceptedWhereNoRowsAreWritten) {
  SmallProblem small;
  small.record(2, 0).x &= ~record_first;
  const ValidateOptions accepting{.accepts_ill_formed_flags = true};
  expect_fault(validate(small.problem(), accepting), "REC-6", 2, 0, {"FIRST"});
  small.shape.snapshot = SnapshotForm::none;
  EXPECT_TRUE(validate(small.problem(), accepting).empty());
  small.record(2, 5).slot = 0x7FFF'FFFFU;  // other rules still hold
  expect_fault(validate(small.problem(), accepting), "REC-5", 2, 5, {"2147483647"});
}

TEST(Validate, RuleREC2ReservedBitsAreFree) {
  SmallProblem small;
  for (Record& record : small.records) record.x |= ~record_meaningful;
  EXPECT_TRUE(validate(small.problem()).empty());
}

TEST(Validate, RuleREC3TokensPastTheChunkAreLegal) {
  SmallProblem small;
  for (Record& record : small.records) record.x |= 255U << record_token_shift;
  EXPECT_TRUE(validate(small.problem()).empty());
}

TEST(Validate, RuleTIL1FirstBound) {
  SmallProblem small;
  small.bound(0, 0) = 3;
  small.prefix_at(0, 0) = 1;
  expect_fault(validate(small.problem()), "TIL-1", 0, 0, {"first bound is 3", "0 is needed"});
}

TEST(Validate, RuleTIL1LastBound) {
  SmallProblem small;
  small.bound(1, 4) = 4;
  expect_fault(validate(small.problem()), "TIL-1", 1, 4, {"last bound is 4", "6"});
}

TEST(Validate, RuleTIL1Decreasing) {
  SmallProblem small;
  small.bound(0, 2) = 0;
  expect_fault(validate(small.problem()), "TIL-1", 0, 2, {"is 0 after 3"});
}

TEST(Validate, RuleTIL1OutOfRange) {
  SmallProblem small;
  small.bound(0, 2) = -1;
  expect_fault(validate(small.problem()), "TIL-1", 0, 2, {"is -1", "0..6"});
  small.bound(0, 2) = 7;
  expect_fault(validate(small.problem()), "TIL-1", 0, 2, {"is 7", "0..6"});
}

TEST(Validate, RuleTIL1InsideAGroup) {
  SmallProblem small;
  small.bound(1, 3) = 5;
  expect_fault(validate(small.problem()), "TIL-1", 1, 3, {"is 5", "0x40000400", "FIRST"});
}

TEST(Validate, RuleTIL1EmptyTilesAreLegal) {
  SmallProblem small;
  for (std::size_t chunk = 0; chunk < 5; ++chunk) {
    for (std::size_t t = 1; t < 4; ++t) {
      small.bound(chunk, t) = 6;
      small.prefix_at(chunk, t) = 2;
    }
  }
  EXPECT_TRUE(validate(small.problem()).empty());
}

TEST(Validate, RuleTIL4WrongPrefix) {
  SmallProblem small;
  small.prefix_at(3, 3) = 2;
  expect_fault(validate(small.problem()), "TIL-4", 3, 3,
               {"group_prefix is 2", "1 valid groups begin before position 4"});
}

TEST(Validate, RuleTIL4FreeWhereNoRowsAreWritten) {
  SmallProblem small;
  small.shape.snapshot = SnapshotForm::none;
  small.prefix_at(3, 3) = -77;
  EXPECT_TRUE(validate(small.problem()).empty());
}

TEST(Validate, RulePLN8TrailingChunksAreFree) {
  SmallProblem small;
  for (std::size_t i = 0; i < 6; ++i) small.record(4, i) = {};
  for (std::size_t t = 0; t < 5; ++t) small.bound(4, t) = small.prefix_at(4, t) = -5;
  EXPECT_TRUE(validate(small.problem()).empty());
}

// One block of four warps over 513 groups of one member, or 512.
SmallProblem many_groups(std::uint32_t groups) {
  SmallProblem small;
  small.shape.snapshot = SnapshotForm::fp8;
  small.shape.slots = groups;
  small.shape.num_chunks = small.shape.num_parallel = 1;
  small.shape.positions = groups;
  small.bank.assign(groups * 16, std::byte{0});
  small.records.clear();
  for (std::uint32_t i = 0; i < groups; ++i) {
    small.records.push_back({record_first | record_last, i, tests::one_f32, tests::one_f32});
  }
  const auto n = static_cast<std::int32_t>(groups);
  small.bounds = small.prefix = {0, 0, 0, 0, n};
  return small;
}

TEST(Validate, RuleTIL3GroupsOfABlock) {
  SmallProblem fits = many_groups(512);
  EXPECT_TRUE(validate(fits.problem()).empty());
  SmallProblem over = many_groups(513);
  expect_fault(validate(over.problem()), "TIL-3", 0, 4, {"tiles 0..3", "513", "512"});
  EXPECT_TRUE(validate(over.problem(), {.quantizes_as_cluster = false}).empty());
  over.shape.snapshot = SnapshotForm::raw;
  EXPECT_TRUE(validate(over.problem()).empty());
}

TEST(Validate, TensorLengths) {
  const auto broken = [](auto&& change) {
    SmallProblem small;
    Problem problem = small.problem();
    change(problem);
    return validate(problem);
  };
  expect_fault(broken([](Problem& p) { p.bank_before = p.bank_before.first(63); }), "PLN-2", {}, {},
               {"bank_before has 63 bytes", "64"});
  expect_fault(broken([](Problem& p) { p.delta_v = p.delta_v.first(127); }), "PLN-2", {}, {},
               {"delta_v has 508 bytes", "512"});
  expect_fault(broken([](Problem& p) { p.records = p.records.first(29); }), "REC-1", {}, {},
               {"records has 464 bytes", "480"});
  expect_fault(broken([](Problem& p) { p.tile_bounds = p.tile_bounds.first(24); }), "TIL-1", {}, {},
               {"tile_bounds has 96 bytes", "100"});
  expect_fault(broken([](Problem& p) { p.group_prefix = {}; }), "TIL-4", {}, {},
               {"group_prefix has 0 bytes", "100"});
}

TEST(Validate, RulePLN2Alignment) {
  SmallProblem small;
  small.bank.assign(80, std::byte{0});
  Problem problem = small.problem();
  problem.bank_before = small.bank.view().subspan(2, 64);
  expect_fault(validate(problem), "PLN-2", {}, {}, {"bank_before", "2 bytes past", "16-byte"});
}

TEST(Validate, RulePLN5BankSharesBytesWithAnInput) {
  SmallProblem small;
  Problem problem = small.problem();
  problem.bank_before = std::as_bytes(problem.delta_v).subspan(16, 64);
  expect_fault(validate(problem), "PLN-5", {}, {}, {"bank_before and delta_v overlap", "byte 16"});
}

TEST(Validate, RulePLN5OtherInputsMayBeTheSame) {
  SmallProblem small;
  small.shape.snapshot = SnapshotForm::none;
  Problem problem = small.problem();
  problem.group_prefix = problem.tile_bounds;
  EXPECT_TRUE(validate(problem).empty());
}

TEST(Validate, StopsAtTheLimitAndIsDeterministic) {
  SmallProblem small;
  for (Record& record : small.records) record.x = 0;
  EXPECT_EQ(validate(small.problem()).size(), 16U);
  EXPECT_EQ(validate(small.problem(), {.max_faults = 3}).size(), 3U);
  EXPECT_EQ(validate(small.problem(), {.max_faults = 0}).size(), 1U);
  EXPECT_EQ(validate(small.problem()), validate(small.problem()));
}

TEST(Validate, RequireValidThrowsTheFirstFault) {
  SmallProblem small;
  small.record(1, 5).slot = 4;
  try {
    require_valid(small.problem());
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(error.fault(), validate(small.problem()).front());
    EXPECT_EQ(error.fault().message, error.what());
  }
}

TEST(ValidateOutputs, ExactBuffersPass) {
  SmallProblem small;
  const Problem problem = small.problem();
  const OutputBuffers outputs(problem);
  EXPECT_TRUE(validate_outputs(problem, outputs.views()).empty());
}

TEST(ValidateOutputs, LengthAlignmentAndOverlap) {
  SmallProblem small;
  const Problem problem = small.problem();
  const OutputBuffers outputs(problem);
  ConstOutputs views = outputs.views();
  views.snapshot = views.snapshot.first(16);
  expect_fault(validate_outputs(problem, views), "PLN-4", {}, {}, {"snapshot has 16 bytes"});
  views = outputs.views();
  views.payload = views.snapshot.first(16);
  EXPECT_EQ(validate_outputs(problem, views).size(), 2U);  // a length of 0, and an overlap
  views = outputs.views();
  views.bank = problem.bank_before;
  expect_fault(validate_outputs(problem, views), "PLN-5", {}, {}, {"bank and bank_before overlap"});
}

}  // namespace
}  // namespace chainwalk
