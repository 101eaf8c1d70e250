// SPDX-License-Identifier: Apache-2.0
// The list of required cases against the suite and the specification, and faults planted in both.
#include "chainwalk/conformance/required.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

const std::vector<Case>& quick() {
  static const std::vector<Case> cases = make_suite(Profile::quick, 1);
  return cases;
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(part) != text.npos; });
}

// The list as JSON again, to spoil.
json list() {
  json rules = json::array();
  for (const RequiredRule& rule : required_rules()) {
    rules.push_back(
        {{"rule", rule.rule}, {"seen", to_string(rule.seen)}, {"recipes", rule.recipes}});
  }
  return {{"format", "chainwalk-required"}, {"version", 1}, {"rules", rules}};
}

std::string refusal(const json& spoiled) {
  try {
    (void)parse_required(spoiled.dump(), "list.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

RunOutcome all_passed() {
  RunOutcome run;
  for (const Case& one : quick()) {
    CaseResult result;
    result.case_id = one.id;
    result.rules = one.rules;
    result.coordinates = one.coordinates;
    result.verdict = Verdict::pass;
    run.results.push_back(result);
  }
  return run;
}

Report judged(RunOutcome run, const std::string& claim = "") {
  return make_report(std::move(run), {}, claim, {}, required_rules());
}

void keep_without(RunOutcome& run, const std::string& recipe) {
  std::erase_if(run.results,
                [&](const CaseResult& result) { return is_of_recipe(result.case_id, recipe); });
}

TEST(Required, SuiteHasNoFault) {
  for (const std::string& fault : faults_of_suite(quick(), required_rules()))
    ADD_FAILURE() << fault;
}

TEST(Required, EveryRuleIsListedOnce) {
  std::multiset<std::string> listed;
  for (const RequiredRule& rule : required_rules()) listed.insert(rule.rule);
  EXPECT_EQ(listed.size(), rules().size());
  for (const Rule& rule : rules()) EXPECT_EQ(listed.count(std::string(rule.id)), 1U) << rule.id;
}

TEST(Required, RuleWithoutCaseIsAFault) {
  std::vector<Case> cases = quick();
  for (Case& one : cases) std::erase(one.rules, "ARI-4");
  EXPECT_TRUE(says(faults_of_suite(cases, required_rules()), "no case names ARI-4"));
}

TEST(Required, CaseWithoutRuleIsAFault) {
  std::vector<Case> cases = quick();
  cases[3].rules.clear();
  EXPECT_TRUE(says(faults_of_suite(cases, required_rules()), cases[3].id + " names no rule"));
  cases[3].rules = {"ARI-99"};
  EXPECT_TRUE(says(faults_of_suite(cases, required_rules()), "ARI-99, which does not exist"));
}

TEST(Required, MissingCaseIsAFault) {
  std::vector<Case> cases = quick();
  std::erase_if(cases, [](const Case& one) {
    return is_of_recipe(one.id, "ARI/restart-after-invalid-f32/");
  });
  EXPECT_TRUE(says(faults_of_suite(cases, required_rules()),
                   "ARI-4 requires ARI/restart-after-invalid-f32/"));
}

TEST(Required, ListIsCheckedFieldByField) {
  EXPECT_EQ(refusal(list()), "accepted");
  json spoiled = list();
  spoiled["rules"].push_back(spoiled["rules"][0]);
  EXPECT_THAT(refusal(spoiled), HasSubstr("listed twice"));
  spoiled = list();
  spoiled["rules"].erase(0);
  EXPECT_THAT(refusal(spoiled), HasSubstr("is not listed"));
  spoiled = list();
  spoiled["rules"][0]["rule"] = "ARI-99";
  EXPECT_THAT(refusal(spoiled), HasSubstr("ARI-99"));
  spoiled = list();
  spoiled["rules"][0]["seen"] = "guessed";
  EXPECT_THAT(refusal(spoiled), HasSubstr("guessed"));
  spoiled = list();
  spoiled["rules"][0]["recipes"] = json::array();
  EXPECT_THAT(refusal(spoiled), HasSubstr("0 recipes"));
  spoiled = list();
  spoiled["rules"][0]["recipes"][0] = 7;
  EXPECT_THAT(refusal(spoiled), HasSubstr("7"));
  EXPECT_THAT(refusal(json::array()), HasSubstr("must be an object"));
}

TEST(Required, WholeRunConforms) {
  const Report report = judged(all_passed());
  EXPECT_TRUE(report.conforms) << (report.complaints.empty() ? "" : report.complaints.front());
  for (const RuleVerdict& rule : report.rules) EXPECT_TRUE(rule.conforms) << rule.rule;
}

TEST(Required, CasesThatDidNotRunAreComplainedAbout) {
  RunOutcome run = all_passed();
  keep_without(run, "ARI/restart-after-invalid-f32/");
  const Report report = judged(run);
  EXPECT_FALSE(report.conforms);
  EXPECT_TRUE(says(report.complaints, "required cases of ARI-4 did not run"));
  // Outside the scope of a claim nothing is required.
  EXPECT_FALSE(says(judged(run, "bf16").complaints, "ARI-4"));
  EXPECT_TRUE(says(judged(run, "f32").complaints, "ARI-4"));
}

TEST(Required, ObservableRulesOfTheScopeAreCounted) {
  const Report report = judged(all_passed(), "bf16,none");
  EXPECT_TRUE(report.conforms);
  const auto verdict = [&](const std::string& id) {
    return std::find_if(report.rules.begin(), report.rules.end(),
                        [&](const RuleVerdict& rule) { return rule.rule == id; });
  };
  ASSERT_NE(verdict("ARI-4"), report.rules.end());
  EXPECT_EQ(verdict("ARI-4")->seen, Observability::observable);
  EXPECT_EQ(verdict("QNT-3"), report.rules.end());
  const auto structural = verdict("GEO-7");
  ASSERT_NE(structural, report.rules.end());
  EXPECT_EQ(structural->seen, Observability::structural);
}

}  // namespace
}  // namespace chainwalk::conformance
