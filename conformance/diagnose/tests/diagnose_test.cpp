// SPDX-License-Identifier: Apache-2.0
// Every wrong rule changes some problem of the quick suite, and the diagnosis names it there.
#include "chainwalk/conformance/diagnose.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/suite.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

constexpr std::uint64_t suite_seed = 1;

const std::vector<Case>& quick_suite() {
  static const std::vector<Case> cases = make_suite(Profile::quick, suite_seed);
  return cases;
}

// Whether wrong rules change what the reference leaves; `wrong` outputs are put into `observed`.
bool changes(const Problem& problem, std::span<const std::size_t> wrong,
             const OutputBuffers& observed) {
  const OutputBuffers expected(problem);
  reference::run(problem, expected.views());
  run_wrong(problem, observed.views(), wrong);
  return !compare(problem, expected.views(), observed.views(), {OutputBuffers::default_poison})
              .equal();
}

// All but the one that only a bank over 4 GiB shows: the BIG chapter runs through a harness.
std::vector<std::size_t> rules_of_small_banks() {
  std::vector<std::size_t> indices;
  for (std::size_t index = 0; index < wrong_rules().size(); ++index) {
    if (wrong_rules()[index].id != "offset-32-bits") indices.push_back(index);
  }
  return indices;
}

class WrongRuleTest : public testing::TestWithParam<std::size_t> {};

TEST_P(WrongRuleTest, IsKilledByQuickSuiteAndNamed) {
  const std::array wrong{GetParam()};
  int killing = 0;
  for (const Case& one : quick_suite()) {
    if (one.problem == nullptr || one.coordinates.head_dim > 300) continue;
    const Problem problem = one.problem();
    const OutputBuffers observed(problem);
    if (!changes(problem, wrong, observed)) continue;
    ++killing;
    const Diagnosis diagnosis = diagnose(problem, observed.views());
    // Where two wrong rules have the same effect on one problem either may be named there.
    if (diagnosis.wrong.size() == 1 && diagnosis.wrong.front() == wrong.front()) return;
    ASSERT_FALSE(diagnosis.wrong.empty()) << one.id << ": " << diagnosis.sentence;
    ASSERT_LT(killing, 40) << "never named as itself; last at " << one.id << ": "
                           << diagnosis.sentence;
  }
  FAIL() << wrong_rules()[wrong.front()].id << " was killed by " << killing
         << " cases and never named";
}

INSTANTIATE_TEST_SUITE_P(All, WrongRuleTest, testing::ValuesIn(rules_of_small_banks()),
                         [](const testing::TestParamInfo<std::size_t>& parameter) {
                           std::string name(wrong_rules()[parameter.param].id);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(WrongRules, HaveUniqueIdsAndRulesThatExist) {
  std::set<std::string_view> ids;
  for (const WrongRule& wrong : wrong_rules()) {
    EXPECT_TRUE(ids.insert(wrong.id).second) << wrong.id;
    EXPECT_NE(find_rule(wrong.rule), nullptr) << wrong.rule;
  }
  EXPECT_GE(ids.size(), 25U);
}

TEST(WrongRules, AreNamedWithTheRuleThatTheyBreak) {
  EXPECT_EQ(phrase_of("no restart after an invalid LAST", "ARI-4"),
            "no restart after an invalid LAST (ARI-4)");
}

TEST(Diagnosis, NamesNothingForCorrectOutputs) {
  const Problem problem = quick_suite().front().problem();
  const OutputBuffers observed(problem);
  reference::run(problem, observed.views());
  EXPECT_TRUE(diagnose(problem, observed.views()).wrong.empty());
}

TEST(Diagnosis, NamesPairs) {
  std::array<std::size_t, 2> pair{};
  for (std::size_t index = 0; index < wrong_rules().size(); ++index) {
    if (wrong_rules()[index].id == "store-truncates") pair[0] = index;
    if (wrong_rules()[index].id == "decay-ignored") pair[1] = index;
  }
  const Problem problem = quick_suite().front().problem();
  const OutputBuffers observed(problem);
  ASSERT_TRUE(changes(problem, pair, observed));
  const Diagnosis diagnosis = diagnose(problem, observed.views());
  EXPECT_EQ(std::set(diagnosis.wrong.begin(), diagnosis.wrong.end()),
            std::set(pair.begin(), pair.end()))
      << diagnosis.sentence;
}

// Where the last member of a tile may hold any slot: a row outside the bank would end the process.
TEST(WrongRules, PairsStayInsideTheBuffers) {
  int problems = 0;
  for (const Case& one : quick_suite()) {
    const bool wild = one.id == "ARI/missing-lasts-bf16/0" ||
                      one.id == "ARI/restart-after-invalid-bf16/0" ||
                      one.id == "REC/invalid-groups-free-bf16/0" ||
                      one.id == "REC/free-members-bf16/0" || one.id == "NUM/special-fp8-bf16/0";
    if (!wild) continue;
    ++problems;
    const Problem problem = one.problem();
    for (std::size_t first = 0; first < wrong_rules().size(); ++first) {
      for (std::size_t second = first + 1; second < wrong_rules().size(); ++second) {
        if (wrong_rules()[second].id == "offset-32-bits") continue;
        const OutputBuffers buffers(problem);
        run_wrong(problem, buffers.views(), std::array{first, second});
      }
    }
  }
  EXPECT_EQ(problems, 5);
}

TEST(Suite, HasUniqueIdsAndRulesThatExist) {
  std::set<std::string> ids;
  for (const Case& one : make_suite(Profile::full, suite_seed)) {
    EXPECT_TRUE(ids.insert(one.id).second) << one.id;
    EXPECT_FALSE(one.rules.empty()) << one.id;
    for (const std::string& rule : one.rules)
      EXPECT_NE(find_rule(rule), nullptr) << one.id << ": " << rule;
  }
}

}  // namespace
}  // namespace chainwalk::conformance
