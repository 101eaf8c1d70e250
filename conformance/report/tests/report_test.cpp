// SPDX-License-Identifier: Apache-2.0
// What waivers and claims make of results, and what each form of a report says of them.
#include "chainwalk/conformance/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chainwalk/spec/fault.h"
#include "made_up.h"

namespace chainwalk::conformance {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Report report_of(std::vector<CaseResult> results, const std::vector<Waiver>& waivers = {},
                 const std::string& claim = "") {
  return make_report(run_of(std::move(results)), {{"machine", "here"}}, claim, waivers);
}

// ---- Waivers ----

TEST(Waivers, AWaivedFailureConformsAndIsCounted) {
  const std::vector<CaseResult> results{made_up("ARI/a/0", Verdict::pass, {"ARI-1"}),
                                        made_up("ARI/b/0", Verdict::fail, {"ARI-1"})};
  EXPECT_FALSE(report_of(results).conforms);
  const Report waived = report_of(results, {waiver_of_case("ARI/b/*")});
  EXPECT_TRUE(waived.conforms);
  EXPECT_EQ(waived.waived, 1);
  EXPECT_EQ(verdict_of(waived, "ARI-1")->waived, 1);
  EXPECT_TRUE(verdict_of(waived, "ARI-1")->conforms);
  EXPECT_FALSE(report_of(results, {waiver_of_case("ARI/c/*")}).conforms);
  EXPECT_FALSE(report_of(results, {waiver_of_case("ARI/b")}).conforms)
      << "no prefix without a star";
}

TEST(Waivers, EveryVerdictButPassCanBeWaived) {
  for (const Verdict verdict :
       {Verdict::fail, Verdict::crash, Verdict::hang, Verdict::unsupported, Verdict::not_run}) {
    const std::vector<CaseResult> results{made_up("ARI/a/0", Verdict::pass, {"ARI-1"}),
                                          made_up("ARI/b/0", verdict, {"ARI-1"})};
    EXPECT_FALSE(report_of(results).conforms) << to_string(verdict);
    EXPECT_TRUE(report_of(results, {waiver_of_rule("ARI-1")}).conforms) << to_string(verdict);
  }
}

TEST(Waivers, ARuleOfWhichNothingPassedDoesNotConform) {
  const Report report =
      report_of({made_up("ARI/b/0", Verdict::fail, {"ARI-1"})}, {waiver_of_rule("ARI-1")});
  EXPECT_FALSE(verdict_of(report, "ARI-1")->conforms);
}

TEST(Waivers, AnUnexpectedPassFails) {
  const std::vector<CaseResult> results{made_up("ARI/a/0", Verdict::pass, {"ARI-1"}),
                                        made_up("ARI/b/0", Verdict::pass, {"ARI-2"})};
  EXPECT_TRUE(report_of(results).conforms);
  const Report by_case = report_of(results, {waiver_of_case("ARI/b/0")});
  EXPECT_FALSE(by_case.conforms);
  EXPECT_THAT(by_case.complaints, ElementsAre(HasSubstr("ARI/b/0 passes although")));
  const Report by_rule = report_of(results, {waiver_of_rule("ARI-2")});
  EXPECT_FALSE(by_rule.conforms);
  EXPECT_THAT(by_rule.complaints, ElementsAre(HasSubstr("every case of ARI-2 passes")));
}

TEST(Waivers, AShardMayHaveNoneOfTheWaivedCases) {
  RunOutcome run = run_of({made_up("ARI/a/0", Verdict::pass, {"ARI-1"})});
  run.header.shard_count = 2;
  EXPECT_TRUE(make_report(run, {}, "", {waiver_of_rule("ARI-2")}).conforms);
}

TEST(Waivers, OneThatNamesNoCaseOfAnySuiteIsRefused) {
  const auto refusal = [](const Waiver& waiver) -> std::string {
    try {
      require_known_cases({waiver_of_rule("ARI-1"), waiver}, "w.json", 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal(waiver_of_case("ARI/missing-lasts-bf16/0")), "");
  EXPECT_EQ(refusal(waiver_of_case("ARI/missing-lasts*")), "");
  EXPECT_THAT(refusal(waiver_of_case("ARI/missing-last/*", true)), HasSubstr("w.json: waiver 2"));
}

TEST(Waivers, AnExpiredWaiverAndAnUnknownRuleAreRefused) {
  const auto file = [](const std::string& rule, const std::string& expires) {
    return R"({"waivers": [{"rule": ")" + rule + R"(", "reason": "r", "link": "l", "expires": ")" +
           expires + R"("}]})";
  };
  EXPECT_EQ(parse_waivers(file("ARI-4", "2026-03-01"), "w", "2026-03-01").size(), 1U);
  EXPECT_THROW((void)parse_waivers(file("ARI-4", "2026-02-28"), "w", "2026-03-01"), InputError);
  EXPECT_THROW((void)parse_waivers(file("ARI-99", "2026-03-01"), "w", "2026-03-01"), InputError);
}

// ---- Claims ----

TEST(Claims, CountTheObservableRulesOfTheirScope) {
  RunOutcome run = passing_run();
  const auto counted = [&](const std::string& claim) {
    return count_rules(make_report(run, {}, claim, {}, required_rules()));
  };
  const RuleCount all = counted("");
  std::int64_t observable = 0;
  for (const RequiredRule& rule : required_rules())
    observable += rule.seen == Observability::observable;
  EXPECT_EQ(all.counted, observable);
  EXPECT_EQ(all.conforming, all.counted);
  const Report part = make_report(run, {}, "bf16,none", {}, required_rules());
  EXPECT_TRUE(part.conforms);
  EXPECT_EQ(verdict_of(part, "QNT-2"), nullptr) << "no rows, so no rule of theirs";
  EXPECT_EQ(verdict_of(part, "SNP-3"), nullptr);
  EXPECT_NE(verdict_of(part, "ARI-4"), nullptr);
  EXPECT_LT(counted("bf16,none").counted, counted("bf16,none,raw").counted);
  EXPECT_LT(counted("bf16,none,raw").counted, all.counted);
}

TEST(Claims, WhatLiesOutsideTheScopeDoesNotCount) {
  RunOutcome run = passing_run();
  for (CaseResult& result : run.results) {
    if (result.coordinates.bank == "f32") result.verdict = Verdict::crash;
    if (result.coordinates.snapshot == "int4") result.verdict = Verdict::unsupported;
  }
  EXPECT_FALSE(make_report(run, {}, "", {}, required_rules()).conforms);
  EXPECT_FALSE(make_report(run, {}, "bf16", {}, required_rules()).conforms);
  EXPECT_FALSE(make_report(run, {}, "f32,none", {}, required_rules()).conforms);
  const Report scoped = make_report(run, {}, "bf16,none,raw,fp8", {}, required_rules());
  EXPECT_TRUE(scoped.conforms) << testing::PrintToString(scoped.complaints);
  EXPECT_EQ(scoped.counts[static_cast<std::size_t>(Verdict::crash)], 0);
}

TEST(Claims, ARequiredCaseThatDidNotRunFailsTheClaim) {
  RunOutcome run = passing_run();
  for (CaseResult& result : run.results) {
    if (result.case_id.starts_with("ARI/missing-lasts")) result.verdict = Verdict::not_run;
  }
  // The waiver forgives the verdict, not that a required rule was never looked at.
  const Report report = make_report(run, {}, "", {}, required_rules());
  EXPECT_FALSE(report.conforms);
  EXPECT_THAT(report.complaints,
              ::testing::Contains(HasSubstr("required cases of ARI-5 did not run")));

  RunOutcome without = passing_run();
  std::erase_if(without.results, [](const CaseResult& result) {
    return result.case_id.starts_with("ARI/missing-lasts");
  });
  const Report lacking = make_report(without, {}, "", {}, required_rules());
  EXPECT_FALSE(lacking.conforms);
  EXPECT_THAT(lacking.complaints,
              ::testing::Contains(HasSubstr("required cases of ARI-5 did not run")));
}

TEST(Claims, NothingInScopeIsNoConformance) {
  const Report report = report_of({made_up("ARI/a/0", Verdict::pass, {"ARI-1"})}, {}, "f32");
  EXPECT_FALSE(report.conforms);
  EXPECT_THAT(report.complaints, ElementsAre(HasSubstr("no case is in the scope")));
  EXPECT_FALSE(report_of({}).conforms);
}

// ---- Forms of a report ----

std::vector<CaseResult> one_of_each() {
  CaseResult wrong = made_up("ARI/wrong/0", Verdict::fail, {"ARI-4"});
  wrong.difference = Difference{"bank", 3, 5, "0xBF16", "0xBF17", 2};
  wrong.diagnosis = "reproduced by: no restart after an invalid LAST (ARI-4)";
  wrong.broken_rules = {"ARI-4"};
  wrong.replay_file = "r/replay_wrong.safetensors";
  CaseResult odd = made_up("ARI/odd/0", Verdict::fail, {"ARI-4"});
  odd.text = "<b>&\"quoted\"\x1b[2J</b>";
  return {made_up("ARI/good/0", Verdict::pass, {"ARI-4"}),
          wrong,
          odd,
          made_up("REC/ends/0", Verdict::crash, {"REC-1"}),
          made_up("REC/stays/0", Verdict::hang, {"REC-1"}),
          made_up("REC/refused/0", Verdict::unsupported, {"REC-1"}),
          made_up("REC/skipped/0", Verdict::not_run, {"REC-1"}),
          made_up("REC/waived/0", Verdict::fail, {"REC-1"})};
}

Report full_report() { return report_of(one_of_each(), {waiver_of_case("REC/waived/*")}); }

TEST(Reports, JsonComesBackAsItWas) {
  Report report = full_report();
  report.run.header.seed = 0xFFFFFFFFFFFFFFFFULL;
  report.run.results[0].output_hash = 0xFEDCBA9876543210ULL;
  const std::string text = report_json(report);
  const Report again = report_from_json(text, "report.json");
  EXPECT_EQ(again.run.header, report.run.header);
  EXPECT_EQ(again.run.results[0].output_hash, 0xFEDCBA9876543210ULL);
  EXPECT_EQ(again.waivers, report.waivers);
  EXPECT_EQ(again.environment, report.environment);
  EXPECT_EQ(again.counts, report.counts);
  ASSERT_EQ(again.run.results.size(), report.run.results.size());
  EXPECT_EQ(again.run.results[1].difference->actual, "0xBF17");
  EXPECT_EQ(report_json(again), text);
}

TEST(Reports, JsonOfAnotherFormatVersionOrShapeIsRefused) {
  const std::string text = report_json(full_report());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const std::size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return changed.replace(at, from.size(), to);
  };
  EXPECT_NO_THROW((void)report_from_json(text, "r"));
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"chainwalk-report", "other-report"},
           {"\"version\": 1", "\"version\": 2"},
           {"\"version\": 1", "\"version\": \"1\""},
           {"\"verdict\": \"crash\"", "\"verdict\": \"crashed\""},
           {"\"seen\": \"observable\"", "\"seen\": \"nearly\""},
           {"\"waivers\"", "\"wavers\""},
           {"\"expires\": \"2999-01-01\"", "\"expires\": \"later\""},
           {"\"conforms\": false", "\"conforms\": 0"},
           {"\"row\": 3", "\"row\": \"3\""}}) {
    EXPECT_THROW((void)report_from_json(with(from, to), "r"), InputError) << from << " -> " << to;
  }
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Reports, JunitCountsWhatAReaderOfJunitCounts) {
  const std::string xml = report_junit(full_report());
  EXPECT_THAT(xml,
              HasSubstr(R"(<testsuite name="ARI" tests="3" failures="2" errors="0" skipped="0")"));
  EXPECT_THAT(xml,
              HasSubstr(R"(<testsuite name="REC" tests="5" failures="0" errors="2" skipped="3")"));
  EXPECT_EQ(occurrences(xml, "<testcase "), 8U);
  EXPECT_EQ(occurrences(xml, "<failure "), 2U);
  EXPECT_EQ(occurrences(xml, "<error "), 2U);
  EXPECT_EQ(occurrences(xml, "<skipped "), 3U);
  EXPECT_THAT(xml, HasSubstr("waived until 2999-01-01: a reason"));
  EXPECT_THAT(xml, HasSubstr("&lt;b&gt;&amp;&quot;quoted&quot;?[2J&lt;/b&gt;"));
  EXPECT_THAT(xml, HasSubstr("no restart after an invalid LAST (ARI-4)"));
}

TEST(Reports, TextNamesFailuresAndLeavesWaivedOnesToACount) {
  const std::string text = report_text(full_report(), false);
  EXPECT_THAT(text, HasSubstr("does not conform"));
  EXPECT_THAT(text, HasSubstr("chainwalk replay r/replay_wrong.safetensors"));
  EXPECT_THAT(text, HasSubstr("bank row 3 column 5: expected 0xBF16, found 0xBF17"));
  EXPECT_THAT(text, HasSubstr("crash REC/ends/0"));
  EXPECT_THAT(text, HasSubstr("hang REC/stays/0"));
  EXPECT_THAT(text, Not(HasSubstr("fail REC/waived/0")));
  EXPECT_THAT(text, HasSubstr("1 waived"));
  EXPECT_THAT(text, HasSubstr("REC/waived/*: 1 case, until 2999-01-01: a reason"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b"))) << "no colour was asked for";
  EXPECT_THAT(report_text(full_report(), true), HasSubstr("\x1b[31m"));
}

TEST(Reports, PageHoldsEveryFailureEscaped) {
  const std::string page = report_html(full_report());
  for (const char* part :
       {"does not conform", "ARI/wrong/0", "no restart after an invalid LAST", "0xBF17",
        "REC/ends/0", "REC/stays/0", "unsupported: said of REC/refused/0",
        "not_run: said of REC/skipped/0", "&lt;b&gt;&amp;&quot;quoted&quot;",
        "waived until 2999-01-01: a reason", "machine"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("<b>&\"quoted\"")));
  for (const char* outside : {"<script", "http://", "src=\"http", "@import", "<link"})
    EXPECT_THAT(page, Not(HasSubstr(outside))) << "one file, no scripts, nothing fetched";
  const Report well = report_of({made_up("ARI/good/0", Verdict::pass, {"ARI-4"})});
  EXPECT_THAT(report_html(well), HasSubstr("./mine.so conforms"));
}

}  // namespace
}  // namespace chainwalk::conformance
