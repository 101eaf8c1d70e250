// SPDX-License-Identifier: Apache-2.0
// Every member of the family, over random problems, tile sets and schedules, leaves the reference's
// bits and gives no finding (ARI, SNP, QNT, SRC, TIL-5, GEO-4, LCH, DET-1).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "draw_case.h"
#include "kernel_case.h"
#include "src/kernel_table.h"

namespace chainwalk::device {
namespace {

// Trials of a member; CHAINWALK_KERNEL_TRIALS asks for more.
int trials_wanted(int normal) {
  const char* text = std::getenv("CHAINWALK_KERNEL_TRIALS");
  return text == nullptr ? normal : std::atoi(text);
}

std::string text_of(const Outcome& outcome) {
  std::string text = outcome.mismatch;
  for (const emulator::Finding& finding : outcome.findings) text += "\n" + finding.message;
  return text;
}

// No two members run under the same schedule, but for round robin.
emulator::Schedule schedule_of(std::uint64_t trial, std::size_t kernel) {
  return numbered_schedule(trial == 0 ? 0 : trial * kernel_count + kernel);
}

void run_member_trials(std::size_t kernel, int trials, bool checked, std::uint64_t seed) {
  const KernelTraits& traits = kernel_family[kernel];
  const bool async = traits.image == Image::async;
  int ran = 0;
  std::string refusal;
  for (std::uint64_t trial = 0; ran < trials && trial < 8U * static_cast<unsigned>(trials);
       ++trial) {
    const generate::Parameters parameters = draw_case(kernel, seed, trial);
    const Problem problem = generate::make_problem(parameters, seed, trial);
    const Trial run{schedule_of(trial, kernel), checked, async && trial % 2 == 1};
    const Outcome outcome = run_case(problem, kernel, run);
    if (!outcome.ran) {
      refusal = outcome.text;
      continue;
    }
    ++ran;
    ASSERT_TRUE(outcome.mismatch.empty() && outcome.findings.empty())
        << traits.name << ", seed " << seed << ", trial " << trial << ", schedule "
        << emulator::to_string(run.schedule) << ", problem " << generate::to_json(parameters)
        << ": " << text_of(outcome);
  }
  ASSERT_EQ(ran, trials) << traits.name << ": refused, " << refusal;
}

class Members : public ::testing::TestWithParam<int> {};
constexpr int shards = 12;

// Every shard's members, and what the shard's runs were worth.
void run_shard(int shard, int trials, bool checked, std::uint64_t seed) {
  int members = 0;
  for (auto kernel = static_cast<std::size_t>(shard); kernel < kernel_count; kernel += shards) {
    ASSERT_NO_FATAL_FAILURE(run_member_trials(kernel, trials, checked, seed));
    ++members;
  }
  std::printf("%d cases: %d members, %d cases each, %s\n", members * trials, members, trials,
              checked ? "checked" : "plain");
}

TEST_P(Members, LeaveTheReferencesBitsUnderEverySchedule) {
  run_shard(GetParam(), trials_wanted(50), false, 11);
}

TEST_P(Members, AreCleanUnderTheChecker) {
  if (emulator::checked_kernel(0) == nullptr) GTEST_SKIP() << "this build has no checked kernels";
  run_shard(GetParam(), trials_wanted(6), true, 12);
}

INSTANTIATE_TEST_SUITE_P(Shard, Members, ::testing::Range(0, shards));

// What the tools of a GPU's toolkit run every kernel on.
TEST(Family, EveryMemberRunsItsSmallProblems) {
  Trial trial;
  trial.checked = emulator::checked_kernel(0) != nullptr;
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    const auto cases = small_cases(kernel);
    EXPECT_FALSE(cases.empty()) << kernel_family[kernel].name;
    for (const generate::Parameters& parameters : cases) {
      const Outcome outcome = run_case(generate::make_problem(parameters, 1, 0), kernel, trial);
      EXPECT_TRUE(outcome.ran) << kernel_family[kernel].name << ", problem "
                               << generate::to_json(parameters) << ": " << outcome.text;
      EXPECT_EQ(text_of(outcome), "") << kernel_family[kernel].name;
    }
  }
}

TEST(Family, NamesAreDistinctAndEveryMemberServesAHead) {
  for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
    for (std::size_t other = 0; other < kernel; ++other) {
      EXPECT_NE(kernel_family[kernel].name, kernel_family[other].name);
    }
    EXPECT_GT(draw_case(kernel, 1, 1).head_dim, 0);
  }
}

}  // namespace
}  // namespace chainwalk::device
