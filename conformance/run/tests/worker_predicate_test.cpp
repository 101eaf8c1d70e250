// SPDX-License-Identifier: Apache-2.0
// Problems judged in a worker, which is this binary again: crashes, hangs and odd answers are
// verdicts, and failures of every kind shrink.
#include "chainwalk/conformance/worker_predicate.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <thread>

#include "chainwalk/conformance/run.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/generate/generate.h"

namespace chainwalk::conformance {
namespace {

bool names_slot(const Problem& problem, std::uint32_t slot) {
  return std::any_of(problem.records.begin(), problem.records.end(),
                     [&](const Record& record) { return record.slot == slot; });
}

// An implementation that never says what it supports.
Implementation bare_implementation() {
  static cw_implementation table{};
  table.name = "bare";
  table.open = [](const char* const*, std::int32_t, cw_session** session) {
    static int place = 0;
    *session = reinterpret_cast<cw_session*>(&place);
    return cw_result{CW_OK, CW_REFUSAL_NONE, ""};
  };
  table.close = [](cw_session*) {};
  table.supports = [](cw_session*, const cw_request*) -> cw_result {
    for (;;) ::pause();
  };
  Implementation implementation;
  implementation.table = &table;
  implementation.memory = host_memory();
  return implementation;
}

// What goes wrong in the worker, by name, on every problem that writes slot 1.
CaseResult misjudge(const std::string& misdeed, Harness& harness, const Problem& problem) {
  CaseResult result;
  result.verdict = Verdict::pass;
  if (!names_slot(problem, 1)) return result;
  if (misdeed == "crash") ::raise(SIGSEGV);
  if (misdeed == "exit") ::_exit(3);
  if (misdeed == "hang") (void)harness.unsupported(problem);
  if (misdeed == "slow-suite") std::this_thread::sleep_for(std::chrono::milliseconds(700));
  if (misdeed == "garbage") (void)!::write(worker_result_descriptor, "no result\n", 10);
  if (misdeed == "memory") throw std::bad_alloc();
  if (misdeed == "throw") throw std::runtime_error("deadlock: block 3");
  result.verdict = Verdict::fail;
  result.text = "race: block " + std::to_string(problem.records.size());
  return result;
}

std::vector<std::string> worker(const std::string& misdeed) {
  return {"/proc/self/exe", "--misdeed", misdeed};
}

Problem large() {
  generate::Parameters parameters;
  parameters.head_dim = 40;
  parameters.num_parallel = 2;
  parameters.steps = 2;
  parameters.positions = 60;
  parameters.slots = 16;
  parameters.values = generate::Values::plain;
  for (std::uint64_t index = 0;; ++index) {
    Problem problem = generate::make_problem(parameters, 7, index);
    if (names_slot(problem, 1)) return problem;
  }
}

Problem harmless() {
  generate::Parameters parameters;
  parameters.positions = 0;
  parameters.head_dim = 8;
  return generate::make_problem(parameters, 1, 0);
}

TEST(WorkerJudge, EveryEndOfAWorkerIsAVerdictAndItIsReplaced) {
  struct Expected {
    const char* misdeed;
    Verdict verdict;
    const char* text;
    std::int64_t workers;  // for the failing problem, a harmless one, and the failing one again
  };
  for (const Expected& expected :
       {Expected{"crash", Verdict::crash, "the worker ended with signal 11", 2},
        Expected{"exit", Verdict::crash, "the worker ended with exit status 3", 2},
        Expected{"hang", Verdict::hang, "no result within 0.3 s", 2},
        Expected{"garbage", Verdict::crash, "the worker's answer is no result", 2},
        Expected{"memory", Verdict::crash, "out of memory", 2},
        Expected{"throw", Verdict::fail, "deadlock: block 3", 1},
        Expected{"fail", Verdict::fail, "race: block", 1}}) {
    SCOPED_TRACE(expected.misdeed);
    WorkerJudge judge(
        {worker(expected.misdeed), std::strcmp(expected.misdeed, "hang") == 0 ? 0.3 : 30});
    const CaseResult first = judge.judge(large());
    EXPECT_EQ(first.verdict, expected.verdict);
    EXPECT_EQ(first.text.substr(0, std::strlen(expected.text)), expected.text);
    EXPECT_EQ(judge.judge(harmless()).verdict, Verdict::pass);
    EXPECT_EQ(judge.judge(large()).verdict, expected.verdict);
    EXPECT_EQ(judge.workers_started(), expected.workers);
  }
}

TEST(WorkerJudge, OnlyTheImplementationsOwnTimeIsLimited) {
  WorkerJudge judge({worker("slow-suite"), 0.3});
  EXPECT_EQ(judge.judge(large()).verdict, Verdict::fail);
  EXPECT_EQ(judge.judge(large()).verdict, Verdict::fail);
  EXPECT_EQ(judge.workers_started(), 1);
}

TEST(WorkerJudge, AWorkerThatCannotStartIsACrash) {
  WorkerJudge judge({{"/no/such/worker"}});
  const CaseResult result = judge.judge(harmless());
  EXPECT_EQ(result.verdict, Verdict::crash);
  EXPECT_EQ(result.text, "the worker ended with exit status 127");
}

TEST(WorkerJudge, AMemoryLimitHoldsForTheWorkerOnly) {
  WorkerJudge judge({worker("fail"), 30, std::uint64_t{1} << 20U});
  EXPECT_EQ(judge.judge(harmless()).verdict, Verdict::crash);
}

class ShrinkInAWorker : public ::testing::TestWithParam<const char*> {};

// A candidate that is slow because the machine is busy must not pass for one that hangs: few of
// them, and half a second each.
TEST_P(ShrinkInAWorker, KeepsWhatFails) {
  const std::string misdeed = GetParam();
  const bool hangs = misdeed == "hang";
  WorkerJudge judge({worker(misdeed), hangs ? 0.5 : 30});
  const Problem problem = large();
  const SmallFailure small =
      shrink_failure(problem, [&](const Problem& candidate) { return judge.judge(candidate); },
                     {std::numeric_limits<double>::infinity(), hangs ? 20 : 400});
  EXPECT_TRUE(is_failure(small.result)) << to_string(small.result.verdict);
  EXPECT_TRUE(names_slot(small.problem, 1));
  EXPECT_LE(small.problem.shape.positions, hangs ? 20 : 2) << size_phrase(small.problem.shape);
  EXPECT_EQ(small.problem.shape.num_parallel, 1);
  EXPECT_LE(small.problem.shape.head_dim, hangs ? 40 : 1);
}

INSTANTIATE_TEST_SUITE_P(Misdeeds, ShrinkInAWorker, ::testing::Values("crash", "hang", "fail"),
                         [](const auto& one) { return std::string(one.param); });

TEST(ShrinkFailure, WhatDoesNotFailStaysAsItIs) {
  int calls = 0;
  const Problem problem = large();
  const SmallFailure small = shrink_failure(problem, [&](const Problem&) {
    ++calls;
    CaseResult result;
    result.verdict = Verdict::unsupported;
    return result;
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(small.result.verdict, Verdict::unsupported);
  EXPECT_EQ(small.problem.shape, problem.shape);
}

TEST(FailsAlike, AsksForTheSameFailure) {
  CaseResult race;
  race.verdict = Verdict::fail;
  race.text = "race: block 7";
  CaseResult other = race;
  other.text = "race: block 1";
  EXPECT_TRUE(fails_alike(race, other));
  other.text = "deadlock: block 7";
  EXPECT_FALSE(fails_alike(race, other));
  other = race;
  other.verdict = Verdict::crash;
  EXPECT_FALSE(fails_alike(race, other));
  other = race;
  other.difference = Difference{"bank", 0, 0, "", "", 1};
  EXPECT_FALSE(fails_alike(race, other));

  CaseResult bits = other;
  CaseResult same = bits;
  same.difference->tensor = "scale";
  EXPECT_FALSE(fails_alike(bits, same));
  same.difference->tensor = "bank";
  EXPECT_TRUE(fails_alike(bits, same));
  bits.diagnosis = "reproduced by: no restart (ARI-4)";
  EXPECT_FALSE(fails_alike(bits, same));
  same.diagnosis = bits.diagnosis;
  same.difference->tensor = "scale";
  EXPECT_TRUE(fails_alike(bits, same));
}

}  // namespace
}  // namespace chainwalk::conformance

int main(int argc, char** argv) {
  using namespace chainwalk::conformance;
  if (argc == 3 && std::string(argv[1]) == "--misdeed") {
    const std::string misdeed = argv[2];
    serve_problems([] { return std::make_unique<Harness>(bare_implementation()); },
                   [&](Harness& harness, const chainwalk::Problem& problem) {
                     return misjudge(misdeed, harness, problem);
                   },
                   STDIN_FILENO, worker_result_descriptor);
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
