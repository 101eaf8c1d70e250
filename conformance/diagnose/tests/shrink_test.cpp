// SPDX-License-Identifier: Apache-2.0
// Failures of wrong rules shrink to a few records and columns and still fail.
#include "chainwalk/conformance/shrink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::conformance {
namespace {

constexpr ShrinkBudget no_clock{std::numeric_limits<double>::infinity(), 20000};

std::size_t wrong_rule(std::string_view id) {
  const auto all = wrong_rules();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const WrongRule& rule) { return rule.id == id; });
  EXPECT_NE(found, all.end()) << id;
  return static_cast<std::size_t>(found - all.begin());
}

std::function<bool(const Problem&)> shows(std::string_view id) {
  return [wrong = wrong_rule(id)](const Problem& problem) {
    const OutputBuffers expected(problem);
    const OutputBuffers actual(problem);
    reference::run(problem, expected.views(), {.threads = 1});
    run_wrong(problem, actual.views(), std::span(&wrong, 1));
    return !compare(problem, expected.views(), actual.views()).equal();
  };
}

Problem large(SnapshotForm form = SnapshotForm::none) {
  generate::Parameters parameters;
  parameters.head_dim = 96;
  parameters.num_parallel = 3;
  parameters.steps = 3;
  parameters.extra_chunks = 1;
  parameters.positions = 80;
  parameters.snapshot = form;
  return generate::make_problem(parameters, 5, 0);
}

struct Expected {
  const char* rule;
  SnapshotForm form;
  std::int64_t positions_max;
};

class ShrinkOf : public ::testing::TestWithParam<Expected> {};

// 0, or one bit of the exponent's values and no fraction.
bool is_plain(std::uint32_t bits) { return (bits & 0x007F'FFFFU) == 0; }

TEST(Shrink, LeavesZeroOneAndPowersOfTwo) {
  const Problem shrunk = shrink(large(), shows("decay-ignored"), no_clock).problem;
  for (const float value : shrunk.delta_v)
    EXPECT_TRUE(is_plain(std::bit_cast<std::uint32_t>(value)));
  for (std::size_t at = 0; at + 1 < shrunk.bank_before.size(); at += 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, shrunk.bank_before.data() + at, sizeof half);
    EXPECT_TRUE(is_plain(static_cast<std::uint32_t>(half) << 16U)) << half;
  }
  for (const Record& record : shrunk.records)
    EXPECT_TRUE(is_plain(record.scale) && is_plain(record.decay));
}

TEST_P(ShrinkOf, LeavesLittleThatStillFails) {
  const Expected& expected = GetParam();
  const Problem problem = large(expected.form);
  const auto predicate = shows(expected.rule);
  ASSERT_TRUE(predicate(problem));
  const Shrunk shrunk = shrink(problem, predicate, no_clock);
  const ProblemShape& shape = shrunk.problem.shape;
  EXPECT_TRUE(predicate(shrunk.problem));
  EXPECT_TRUE(validate(shrunk.problem).empty());
  EXPECT_LE(shape.positions, expected.positions_max) << size_phrase(shape);
  EXPECT_EQ(shape.head_dim, 1) << size_phrase(shape);
  EXPECT_EQ(shape.num_chunks, 1) << size_phrase(shape);
  EXPECT_LE(shape.slots, 2) << size_phrase(shape);
  EXPECT_GT(shrunk.steps, 0);
  EXPECT_LE(shrunk.steps, shrunk.tries);
}

// What each rule needs at the least: a LAST that does not restart needs a group behind it, an order
// of members needs two (three where two would be a sum that commutes).
INSTANTIATE_TEST_SUITE_P(Rules, ShrinkOf,
                         ::testing::Values(Expected{"decay-ignored", SnapshotForm::none, 1},
                                           Expected{"store-truncates", SnapshotForm::none, 1},
                                           Expected{"no-restart-after-invalid", SnapshotForm::none,
                                                    2},
                                           Expected{"members-reversed", SnapshotForm::none, 3},
                                           Expected{"decay-of-first", SnapshotForm::none, 2},
                                           Expected{"snapshot-after-store", SnapshotForm::raw, 1},
                                           Expected{"nibbles-swapped", SnapshotForm::int4, 1}),
                         [](const auto& one) {
                           std::string name = one.param.rule;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// 1 + 2^-9 + 2^-10 + 2^-10 lies half way between two bf16 numbers, and no part of the sum does.
TEST(Shrink, MembersOfWhichNoneCanBeDroppedBecomeTheirSum) {
  struct Tensors {
    alignas(16) std::uint16_t bank[1] = {};
    alignas(16) float delta_v[4] = {1.0F, 0x1p-9F, 0x1p-10F, 0x1p-10F};
    Record records[4] = {{record_first, 0, 0x3F80'0000U, 0},
                         {1U << record_token_shift, 0, 0x3F80'0000U, 0},
                         {2U << record_token_shift, 0, 0x3F80'0000U, 0},
                         {record_last | 3U << record_token_shift, 0, 0x3F80'0000U, 0}};
    std::int32_t bounds[9] = {0, 4, 4, 4, 4, 4, 4, 4, 4};
    std::int32_t prefix[9] = {0, 1, 1, 1, 1, 1, 1, 1, 1};
  } tensors;
  Problem problem;
  problem.shape = {BankType::bf16, SnapshotForm::none, 1, 1, 1, 4, 1, 4, 4, 4, 8, 1};
  problem.bank_before = std::as_bytes(std::span(tensors.bank));
  problem.delta_v = tensors.delta_v;
  problem.records = tensors.records;
  problem.tile_bounds = tensors.bounds;
  problem.group_prefix = tensors.prefix;
  ASSERT_TRUE(validate(problem).empty());
  const auto predicate = shows("store-ties-away");
  ASSERT_TRUE(predicate(problem));
  const Problem shrunk = shrink(problem, predicate, no_clock).problem;
  EXPECT_TRUE(predicate(shrunk));
  EXPECT_TRUE(validate(shrunk).empty());
  EXPECT_EQ(shrunk.shape.positions, 1);
}

TEST(Shrink, StreamsAndStepsStayWhereTheyMatter) {
  const Shrunk streams = shrink(large(), shows("stream-ignored"), no_clock);
  EXPECT_EQ(streams.problem.shape.steps(), 1);
  EXPECT_EQ(streams.problem.shape.num_parallel, 2);
  const Shrunk steps = shrink(large(), shows("stale-token-rows"), no_clock);
  EXPECT_EQ(steps.problem.shape.steps(), 2);
  EXPECT_EQ(steps.problem.shape.num_parallel, 1);
}

TEST(Shrink, IsDeterministic) {
  const Shrunk first = shrink(large(), shows("decay-on-sum"), no_clock);
  const Shrunk second = shrink(large(), shows("decay-on-sum"), no_clock);
  EXPECT_EQ(first.tries, second.tries);
  EXPECT_EQ(first.problem.shape, second.problem.shape);
  EXPECT_TRUE(std::equal(first.problem.records.begin(), first.problem.records.end(),
                         second.problem.records.begin(), second.problem.records.end()));
}

TEST(Shrink, BudgetIsKept) {
  const Problem problem = large();
  std::int64_t calls = 0;
  const auto counted = [&](const Problem&) { return ++calls < 0; };
  EXPECT_EQ(shrink(problem, counted, {1e9, 7}).tries, 7);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(shrink(problem, counted, {0, 100}).problem.shape, problem.shape);
  EXPECT_EQ(calls, 7);
}

TEST(Shrink, NothingToDropGivesTheProblemBack) {
  const Problem problem = large();
  const Shrunk shrunk = shrink(
      problem, [](const Problem&) { return false; }, no_clock);
  EXPECT_EQ(shrunk.problem.shape, problem.shape);
  EXPECT_EQ(shrunk.problem.records.data(), problem.records.data());
}

TEST(Shrink, WhateverFailsShrinksToNothing) {
  const Shrunk shrunk = shrink(
      large(), [](const Problem&) { return true; }, no_clock);
  EXPECT_EQ(shrunk.problem.shape.positions, 0);
  EXPECT_EQ(size_phrase(shrunk.problem.shape),
            "1 step of 1 stream, 0 positions, head size 1, 1 bf16 row, snapshot none");
}

TEST(Shrink, ErrorsOfThePredicatePass) {
  EXPECT_THROW(
      (void)shrink(large(),
                   [](const Problem&) -> bool { throw std::runtime_error("device lost"); }),
      std::runtime_error);
}

}  // namespace
}  // namespace chainwalk::conformance
