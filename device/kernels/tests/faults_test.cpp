// SPDX-License-Identifier: Apache-2.0
// Faults planted into the real kernels are found and named; how many schedules find each is printed
// and held to a page of the documentation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainwalk/generate/generate.h"
#include "family.h"
#include "fault_cases.h"
#include "kernel_case.h"

namespace chainwalk::device {
namespace {

constexpr std::uint64_t schedules = 12;
constexpr std::uint64_t schedules_of_page = 200;

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

// "bits" where only the output is wrong.
std::string kind_of(const Outcome& outcome) {
  if (!outcome.findings.empty()) return outcome.findings.front().kind;
  return outcome.mismatch.empty() ? "" : "bits";
}

bool names(std::string_view kinds, const std::string& kind) {
  return (" " + std::string(kinds) + " ").find(" " + kind + " ") != std::string::npos;
}

std::int64_t rows_before(const FaultCase& fault, const generate::Parameters& parameters) {
  if (fault.fault != "offset_of_32_bits") return 0;
  // The middle of the problem's rows lies 4 GiB into the bank.
  const std::int64_t row_bytes = parameters.head_dim * element_size(parameters.bank_type);
  return (std::int64_t{1} << 32U) / row_bytes - parameters.slots / 2;
}

// What a fault's schedules found.
struct Rate {
  int found = 0;  // a finding, or wrong bits
  int named = 0;  // ... of a kind that tells this fault
  std::map<std::string, int> kinds;
};

Rate rate_of(const FaultCase& fault, std::uint64_t count) {
  Rate rate;
  const generate::Parameters parameters = problem_of(fault);
  for (std::uint64_t number = 0; number < count; ++number) {
    const Problem problem = generate::make_problem(parameters, 5, number);
    const Trial run{numbered_schedule(number), true, fault.dependent, fault.entry,
                    rows_before(fault, parameters)};
    const Outcome outcome = run_case(problem, kernel_named(fault.member), run);
    if (!outcome.ran) {
      ADD_FAILURE() << fault.fault << ": " << outcome.text;
      return rate;
    }
    const std::string kind = kind_of(outcome);
    if (kind.empty()) continue;
    ++rate.found;
    ++rate.kinds[kind];
    rate.named += names(fault.kinds, kind) ? 1 : 0;
  }
  return rate;
}

std::string_view meaning(std::string_view fault) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {
#define CW_FAULT(name, what) {#name, what},
#include "faults.def"
#undef CW_FAULT
  };
  for (const auto& [name, what] : all) {
    if (name == fault) return what;
  }
  return "";
}

// A row of the table in docs/planted-faults.md.
std::string row_of(const FaultCase& fault, const Rate& rate, std::uint64_t count) {
  std::string kinds;
  for (const auto& [kind, times] : rate.kinds) {
    kinds += (kinds.empty() ? "" : ", ") + kind + " " + std::to_string(times);
  }
  const auto share = [&](int times) {
    return std::to_string(times * 100 / static_cast<int>(count)) + " %";
  };
  return "| `" + std::string(fault.fault) + "` | " + std::string(meaning(fault.fault)) + " | `" +
         std::string(fault.member) + "` | " + share(rate.found) + " | " + share(rate.named) +
         " | " + kinds + " |";
}

std::string committed_table() {
  std::ifstream file(CHAINWALK_FAULTS_PAGE);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Faults, EachIsFoundAndNamed) {
  const std::vector<FaultCase> cases = all_cases();
  EXPECT_GE(cases.size(), 20U);
  for (const FaultCase& fault : cases) {
    const Rate rate = rate_of(fault, schedules);
    std::printf("%s\n", row_of(fault, rate, schedules).c_str());
    EXPECT_GT(rate.named, 0) << row_of(fault, rate, schedules);
  }
}

// Every fault of the list is planted somewhere.
TEST(Faults, NoneIsLeftOut) {
  const std::vector<FaultCase> cases = all_cases();
  for (const std::string_view name : {
#define CW_FAULT(name, what) std::string_view(#name),
#include "faults.def"
#undef CW_FAULT
       }) {
    const auto same = [&](const FaultCase& fault) { return fault.fault == name; };
    EXPECT_TRUE(name == "none" || std::any_of(cases.begin(), cases.end(), same)) << name;
  }
}

// The rates are a function of the seeds, so the page can be held to them. What a stray access is
// found as depends also on what lies behind its tensor: of such a row the counts are left out.
TEST(FaultsLong, ThePageHasTheRates) {
  const std::string page = committed_table();
  for (const FaultCase& fault : all_cases()) {
    const std::string row = row_of(fault, rate_of(fault, schedules_of_page), schedules_of_page);
    std::printf("%s\n", row.c_str());
    std::fflush(stdout);
    const bool stray = fault.fault.ends_with("past_row");
    const std::string held = stray ? row.substr(0, row.rfind("% |") + 3) : row + "\n";
    EXPECT_NE(page.find(held), std::string::npos) << row;
  }
}

// The detectors are silent on the same problems without the fault.
TEST(Faults, TheSameMembersWithoutThemAreClean) {
  for (const FaultCase& fault : all_cases()) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Problem problem = generate::make_problem(problem_of(fault), 5, seed);
      const Trial run{numbered_schedule(seed), true, fault.dependent};
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
