// SPDX-License-Identifier: Apache-2.0
// Faults planted into the real kernels are found and named; how many schedules find each is
// printed.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "family.h"
#include "fault_cases.h"
#include "kernel_case.h"

namespace chainwalk::device {
namespace {

constexpr std::uint64_t schedules = 12;

std::vector<FaultCase> all_cases() {
  std::vector<FaultCase> all;
  for (const FaultCases& part : {fault_cases_0(), fault_cases_1(), fault_cases_2()}) {
    for (std::size_t i = 0; i < part.count; ++i) {
      if (part.cases[i].entry != nullptr) all.push_back(part.cases[i]);
    }
  }
  return all;
}

generate::Parameters problem_of(const FaultCase& fault) {
  const KernelTraits& traits = kernel_family[kernel_named(fault.member)];
  generate::Parameters parameters;
  parameters.bank_type = traits.bank;
  parameters.snapshot = traits.snapshot;
  parameters.head_dim = fault.head_dim;
  parameters.num_parallel = 2;
  parameters.steps = 2;
  parameters.chunk_size = 8;
  parameters.positions = fault.positions;
  parameters.slots = 2 * fault.positions;  // every row is written: a stray access meets a writer
  parameters.warps_per_block = 8;
  parameters.blocks_per_chunk = fault.positions < 8 ? 2 : 1;
  parameters.groups = generate::Groups::single;
  parameters.values = generate::Values::plain;
  parameters.invalid_share = 0;
  parameters.random_tiles = false;
  return parameters;
}

emulator::Schedule schedule_of(std::uint64_t seed) {
  emulator::Schedule schedule;
  schedule.kind = seed == 0       ? emulator::ScheduleKind::round_robin
                  : seed % 3 == 0 ? emulator::ScheduleKind::priority_change
                                  : emulator::ScheduleKind::random;
  schedule.seed = seed;
  return schedule;
}

// "bits" where only the output is wrong.
std::string kind_of(const Outcome& outcome) {
  if (!outcome.findings.empty()) return outcome.findings.front().kind;
  return outcome.mismatch.empty() ? "" : "bits";
}

bool names(std::string_view kinds, const std::string& kind) {
  return (" " + std::string(kinds) + " ").find(" " + kind + " ") != std::string::npos;
}

TEST(Faults, EachIsFoundAndNamed) {
  const std::vector<FaultCase> cases = all_cases();
  EXPECT_GE(cases.size(), 20U);
  for (const FaultCase& fault : cases) {
    const std::size_t kernel = kernel_named(fault.member);
    std::map<std::string, int> kinds;
    int named = 0;
    for (std::uint64_t seed = 0; seed < schedules; ++seed) {
      const Problem problem = generate::make_problem(problem_of(fault), 5, seed);
      const Trial run{schedule_of(seed), true, fault.dependent, fault.entry};
      const Outcome outcome = run_case(problem, kernel, run);
      ASSERT_TRUE(outcome.ran) << fault.fault << ": " << outcome.text;
      const std::string kind = kind_of(outcome);
      ++kinds[kind.empty() ? "not found" : kind];
      named += names(fault.kinds, kind) ? 1 : 0;
    }
    std::string text;
    for (const auto& [kind, count] : kinds) text += " " + kind + " " + std::to_string(count);
    std::printf("%-32s %-36s named by %2d of %2d schedules:%s\n", std::string(fault.fault).c_str(),
                std::string(fault.member).c_str(), named, static_cast<int>(schedules),
                text.c_str());
    EXPECT_GT(named, 0) << fault.fault << " in " << fault.member << ":" << text;
  }
}

// The detectors are silent on the same problems without the fault.
TEST(Faults, TheSameMembersWithoutThemAreClean) {
  for (const FaultCase& fault : all_cases()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Problem problem = generate::make_problem(problem_of(fault), 5, seed);
      const Trial run{schedule_of(seed), true, fault.dependent, nullptr};
      const Outcome outcome = run_case(problem, kernel_named(fault.member), run);
      ASSERT_TRUE(outcome.ran) << fault.member << ": " << outcome.text;
      EXPECT_TRUE(outcome.mismatch.empty() && outcome.findings.empty())
          << fault.member << ", seed " << seed << ": " << outcome.mismatch
          << (outcome.findings.empty() ? "" : outcome.findings.front().message);
    }
  }
}

}  // namespace
}  // namespace chainwalk::device
