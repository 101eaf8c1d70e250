// SPDX-License-Identifier: Apache-2.0
// Shards put together: the report of an undivided run, and every way in which shards do not fit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chainwalk/spec/fault.h"
#include "made_up.h"

namespace chainwalk::conformance {
namespace {

using ::testing::HasSubstr;

NamedReport shard(std::int64_t index, std::int64_t count, const std::vector<Waiver>& waivers = {},
                  const std::string& claim = "") {
  RunOutcome run = passing_run(index, count);
  run.seconds = 2;
  Report report =
      make_report(std::move(run), {{"machine", index == 1 ? "other" : "one"}, {"system", "same"}},
                  claim, waivers);
  return {"s" + std::to_string(index), std::move(report)};
}

std::vector<NamedReport> shards(std::int64_t count) {
  std::vector<NamedReport> all;
  for (std::int64_t index = 0; index < count; ++index) all.push_back(shard(index, count));
  return all;
}

std::string refusal(std::vector<NamedReport> all) {
  try {
    (void)merge_reports(std::move(all), required_rules());
  } catch (const InputError& error) {
    return error.what();
  }
  return "merged";
}

TEST(Merge, GivesTheReportOfAnUndividedRun) {
  std::vector<NamedReport> all = shards(3);
  std::swap(all[0], all[2]);
  const Report merged = merge_reports(std::move(all), required_rules());
  const Report whole = make_report(passing_run(), merged.environment, "", {}, required_rules());
  Report expected = whole;
  expected.run.seconds = 6;
  EXPECT_EQ(report_json(merged), report_json(expected));
  EXPECT_TRUE(merged.conforms);
  EXPECT_EQ(merged.environment,
            (Facts{{"machine", "one (shard 0, 2); other (shard 1)"}, {"system", "same"}}));
}

TEST(Merge, OneShardIsAWholeRun) {
  EXPECT_TRUE(merge_reports(shards(1), required_rules()).conforms);
}

TEST(Merge, JudgesWhatNoShardAloneCanSee) {
  // Each shard may lack the failures that a rule's waiver is for, and every case of a recipe.
  std::vector<NamedReport> all{shard(0, 2, {waiver_of_rule("ARI-5")}),
                               shard(1, 2, {waiver_of_rule("ARI-5")})};
  EXPECT_TRUE(all[0].report.conforms);
  const Report idle = merge_reports(all, required_rules());
  EXPECT_FALSE(idle.conforms);
  EXPECT_THAT(idle.complaints, ::testing::ElementsAre(HasSubstr("ARI-5")));

  std::vector<NamedReport> unrun = shards(2);
  for (NamedReport& part : unrun) {
    for (CaseResult& result : part.report.run.results) {
      if (result.case_id.starts_with("ARI/missing-lasts")) result.verdict = Verdict::not_run;
    }
  }
  EXPECT_THAT(merge_reports(unrun, required_rules()).complaints,
              ::testing::Contains(HasSubstr("required cases of ARI-5 did not run")));
}

TEST(Merge, KeepsFailures) {
  std::vector<NamedReport> all = shards(2);
  all[1].report.run.results[3].verdict = Verdict::hang;
  const Report merged = merge_reports(all, required_rules());
  EXPECT_FALSE(merged.conforms);
  EXPECT_EQ(merged.counts[static_cast<std::size_t>(Verdict::hang)], 1);
  EXPECT_EQ(merged.run.results[7].verdict, Verdict::hang);
}

TEST(Merge, ShardsThatDoNotFitAreRefused) {
  EXPECT_THAT(refusal({}), HasSubstr("nothing to merge"));
  std::vector<NamedReport> all = shards(3);
  all.pop_back();
  EXPECT_THAT(refusal(all), HasSubstr("shard 2/3 is missing"));
  all.push_back(shard(1, 3));
  EXPECT_THAT(refusal(all), HasSubstr("shard 1/3 is there twice"));
  EXPECT_THAT(refusal({shard(0, 2), shard(1, 3)}), HasSubstr("number of shards is '2' and '3'"));

  const auto with = [](auto edit) {
    std::vector<NamedReport> two = shards(2);
    edit(two[1].report);
    return refusal(two);
  };
  EXPECT_THAT(with([](Report& r) { r.run.header.implementation = "x"; }),
              HasSubstr("implementation"));
  EXPECT_THAT(with([](Report& r) { r.run.header.seed = 2; }), HasSubstr("seed"));
  EXPECT_THAT(with([](Report& r) { r.run.header.profile = "full"; }), HasSubstr("profile"));
  EXPECT_THAT(with([](Report& r) { r.run.header.suite_version = 9; }), HasSubstr("suite version"));
  EXPECT_THAT(with([](Report& r) { r.run.header.specification_version = "9.9"; }),
              HasSubstr("specification"));
  EXPECT_THAT(with([](Report& r) { r.claim = "bf16"; }), HasSubstr("claim"));
  EXPECT_THAT(with([](Report& r) { r.waivers = {waiver_of_rule("ARI-1")}; }),
              HasSubstr("different waivers"));
  EXPECT_THAT(with([](Report& r) { r.run.header.shard_index = 7; }), HasSubstr("no shard 7/2"));
}

TEST(Merge, CasesThatDoNotFitAreRefused) {
  const auto with = [](auto edit) {
    std::vector<NamedReport> two = shards(2);
    edit(two[0].report.run.results, two[1].report.run.results);
    return refusal(two);
  };
  using Results = std::vector<CaseResult>;
  EXPECT_THAT(with([](Results& a, Results&) { a.erase(a.begin() + 2); }), HasSubstr("is missing"));
  EXPECT_THAT(with([](Results& a, Results&) { a.push_back(a[2]); }), HasSubstr("is there twice"));
  EXPECT_THAT(with([](Results& a, Results& b) { a.push_back(b[2]); }),
              HasSubstr("is not a case of shard 0/2"));
  EXPECT_THAT(with([](Results& a, Results&) { a[2].case_id = "ARI/mine/0"; }),
              HasSubstr("ARI/mine/0 is not a case of the suite"));
}

TEST(Merge, AnotherVersionOfTheSuiteIsRefused) {
  std::vector<NamedReport> one = shards(1);
  one[0].report.run.header.specification_version = "0.1";
  EXPECT_THAT(refusal(one), HasSubstr("this program knows the cases of"));
}

}  // namespace
}  // namespace chainwalk::conformance
