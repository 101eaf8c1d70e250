// SPDX-License-Identifier: Apache-2.0
// Ledgers: ranges dealt and finished in any order, stopped and continued, cover the same cases.
#include "chainwalk/fuzz/ledger.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "chainwalk/spec/fault.h"

namespace chainwalk::fuzz {
namespace {

LedgerHeader header() { return {"schedules", 5, "nothing", "reference", "1.0"}; }

// What a range would give, without running anything: features of its cases by their number.
RangeOutcome outcome_of(const Range& range) {
  RangeOutcome outcome;
  for (std::int64_t index = range.first; index < range.first + range.count; ++index) {
    FeatureSet features;
    features.set(static_cast<std::size_t>(index % 40));
    features.set(static_cast<std::size_t>((index * 7 + range.epoch) % 60));
    outcome.coverage.add({range.epoch, index}, features);
    ++outcome.cases;
    if (index % 100 != 17) continue;
    Finding finding;
    finding.judgement.key = "hang";
    finding.first = {range.epoch, index};
    finding.count = 1;
    merge(outcome.findings, {{"hang", finding}});
  }
  return outcome;
}

constexpr Range left_of_first{0, 3, 2};

std::string total_of(const Ledger& ledger) { return to_json(ledger.total()).dump(); }

std::string one_after_the_other(std::int64_t limit) {
  Ledger ledger(header(), {});
  while (const auto range = ledger.take(limit))
    EXPECT_TRUE(ledger.finish(*range, outcome_of(*range)));
  return total_of(ledger);
}

class TemporaryFolder {
 public:
  TemporaryFolder()
      : path_(std::filesystem::temp_directory_path() /
              ("chainwalk-ledger-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Ledger, RunsTheCasesThatTheLimitNames) {
  Ledger ledger(header(), {});
  std::int64_t cases = 0;
  while (const auto range = ledger.take(1234)) {
    cases += range->count;
    (void)ledger.finish(*range, outcome_of(*range));
  }
  EXPECT_EQ(cases, 1234);
  EXPECT_EQ(ledger.total().cases, 1234);
  EXPECT_EQ(ledger.epoch(), 1234 / ledger.campaign().epoch_cases);
}

TEST(Ledger, DoesNotCareInWhichOrderRangesAreFinished) {
  Ledger ledger(header(), {});
  std::vector<Range> out;
  const auto finish_one = [&](std::size_t at) {
    EXPECT_TRUE(ledger.finish(out[at], outcome_of(out[at])));
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(at));
  };
  for (;;) {
    const auto range = ledger.take(1500);
    if (range) out.push_back(*range);
    if (out.size() >= 5 || (!range && !out.empty())) {
      finish_one(out.size() - 1);
    } else if (!range) {
      break;
    }
  }
  EXPECT_EQ(total_of(ledger), one_after_the_other(1500));
}

TEST(Ledger, BeginsNoEpochBeforeTheLastOneIsDone) {
  Ledger ledger(header(), {});
  std::vector<Range> out;
  while (const auto range = ledger.take(100000)) out.push_back(*range);
  EXPECT_EQ(static_cast<std::int64_t>(out.size()),
            ledger.campaign().epoch_cases / ledger.campaign().range_cases);
  for (std::size_t index = 0; index + 1 < out.size(); ++index)
    (void)ledger.finish(out[index], outcome_of(out[index]));
  EXPECT_EQ(ledger.epoch(), 0);
  EXPECT_EQ(ledger.take(100000), std::nullopt);
  (void)ledger.finish(out.back(), outcome_of(out.back()));
  EXPECT_EQ(ledger.epoch(), 1);
  EXPECT_TRUE(ledger.take(100000).has_value());
}

TEST(Ledger, DealsALostRangeAgainAndCountsItOnce) {
  Ledger ledger(header(), {});
  const Range lost = *ledger.take(1500);
  const Range other = *ledger.take(1500);
  ledger.give_back(lost);
  EXPECT_EQ(ledger.take(1500), lost);
  EXPECT_TRUE(ledger.finish(lost, outcome_of(lost)));
  EXPECT_FALSE(ledger.finish(lost, outcome_of(lost)));  // the lost taker was only slow
  EXPECT_TRUE(ledger.finish(other, outcome_of(other)));
  while (const auto range = ledger.take(1500)) (void)ledger.finish(*range, outcome_of(*range));
  EXPECT_EQ(total_of(ledger), one_after_the_other(1500));
}

TEST(Ledger, DealsWhatIsLeftOfARangeAndNothingElseAgain) {
  const TemporaryFolder folder;
  {
    Ledger ledger(header(), folder.path());
    const Range range = *ledger.take(1500);
    ASSERT_EQ(range, (Range{0, 0, 16}));
    // Case 5 ended its worker, and the time was over at case 9.
    const Range left[] = {left_of_first, {0, 9, 7}};
    RangeOutcome outcome = outcome_of({0, 0, 3});
    outcome.merge(outcome_of({0, 5, 4}));
    EXPECT_TRUE(ledger.finish(range, outcome, left));
    EXPECT_FALSE(ledger.finish(range, outcome_of(range)));
    ledger.save();
  }
  Ledger ledger(header(), folder.path());
  EXPECT_EQ(ledger.total().cases, 7);
  EXPECT_EQ(read_ledger(folder.path())->epoch_left, ledger.campaign().epoch_cases - 7);
  EXPECT_EQ(ledger.take(1500), left_of_first);
  ledger.give_back(left_of_first);
  while (const auto range = ledger.take(1500)) (void)ledger.finish(*range, outcome_of(*range));
  EXPECT_EQ(total_of(ledger), one_after_the_other(1500));
}

// A byte before a buffer has a negative place.
TEST(Judgement, IsReadBackWithItsDifference) {
  Judgement judgement;
  judgement.verdict = conformance::Verdict::fail;
  judgement.key = "stray-guard-of-bank";
  judgement.difference = {"guard of bank", 0, -16, "guard pattern", "overwritten", 1};
  const auto json = to_json(judgement);
  EXPECT_EQ(to_json(judgement_from_json(json)), json);
  auto wrong = json;
  wrong["difference"]["column"] = 1e300;
  EXPECT_THROW((void)judgement_from_json(wrong), InputError);
}

TEST(RangeDone, HasEveryCaseOfTheRangeOnce) {
  const auto done = [](std::int64_t cases, std::vector<Range> left) {
    RangeDone made{{1, 10, 20}, {}, std::move(left)};
    made.outcome.cases = cases;
    return to_json(made);
  };
  EXPECT_EQ(done_from_json(done(20, {})).outcome.cases, 20);
  EXPECT_EQ(done_from_json(done(12, {{1, 12, 3}, {1, 25, 5}})).left.size(), 2U);
  EXPECT_EQ(done_from_json(done(0, {{1, 10, 20}})).left.size(), 1U);
  for (const auto& wrong :
       {done(19, {}), done(21, {}), done(12, {{1, 25, 5}, {1, 12, 3}}), done(12, {{1, 9, 8}}),
        done(12, {{1, 23, 8}}), done(12, {{2, 12, 8}}), done(12, {{1, 12, 5}, {1, 16, 3}}),
        done(0, {{1, 10, 20}, {1, 30, 0}, {1, 30, 1}})})
    EXPECT_THROW((void)done_from_json(wrong), InputError) << wrong;
}

TEST(Ledger, IsContinuedFromItsFile) {
  const TemporaryFolder folder;
  for (const std::int64_t limit : {100, 700, 701, 1500}) {
    Ledger ledger(header(), folder.path());
    const auto dropped = ledger.take(limit);  // out when the program ends: dealt again
    while (const auto range = ledger.take(limit)) (void)ledger.finish(*range, outcome_of(*range));
    if (limit == 1500 && dropped) (void)ledger.finish(*dropped, outcome_of(*dropped));
    while (const auto range = ledger.take(limit)) (void)ledger.finish(*range, outcome_of(*range));
    ledger.save();
  }
  Ledger ledger(header(), folder.path());
  EXPECT_EQ(ledger.total().cases, 1500);
  EXPECT_EQ(total_of(ledger), one_after_the_other(1500));
  const auto state = read_ledger(folder.path());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->header, header());
  EXPECT_EQ(to_json(state->total).dump(), total_of(ledger));
}

TEST(Ledger, MakesTheCaseOfAFindingOfAnEarlierEpoch) {
  Ledger ledger(header(), {});
  const Weights first = ledger.weights();
  while (const auto range = ledger.take(1500)) (void)ledger.finish(*range, outcome_of(*range));
  ASSERT_GT(ledger.epoch(), 1);
  const CasePlace place = ledger.total().findings.at("hang").first;
  ASSERT_EQ(place, (CasePlace{0, 17}));
  const FuzzCase made = ledger.case_at(place);
  EXPECT_EQ(made.problem.shape, make_case(ledger.campaign(), 5, place, first).problem.shape);
}

TEST(Ledger, RefusesAnotherCampaignAndBrokenFiles) {
  const TemporaryFolder folder;
  Ledger(header(), folder.path()).save();
  LedgerHeader other = header();
  other.seed = 6;
  EXPECT_THROW(Ledger(other, folder.path()), InputError);
  for (const char* text : {"", "{", "[]", "{\"format\":768}", "{\"format\":\"another\"}",
                           "{\"format\":\"chainwalk-fuzz-ledger\"}"}) {
    std::ofstream(ledger_file(folder.path())) << text;
    EXPECT_THROW(Ledger(header(), folder.path()), InputError) << text;
    EXPECT_THROW((void)read_ledger(folder.path()), InputError) << text;
  }
}

// What a program that cannot count leaves behind: cases would be run twice, or never.
TEST(Ledger, RefusesAFileWhoseCasesDoNotAddUp) {
  const TemporaryFolder folder;
  {
    Ledger ledger(header(), folder.path());
    for (int ranges = 0; ranges < 40; ++ranges) {
      const Range range = *ledger.take(1500);
      (void)ledger.finish(range, outcome_of(range));
    }
    ASSERT_EQ(ledger.epoch(), 1);
    ledger.save();
  }
  using Json = nlohmann::ordered_json;
  Json good;
  std::ifstream(ledger_file(folder.path())) >> good;
  const auto expect_refused = [&](const char* what, const auto& change) {
    Json changed = good;
    change(changed);
    std::ofstream(ledger_file(folder.path())) << changed;
    EXPECT_THROW(Ledger(header(), folder.path()), InputError) << what;
  };
  expect_refused("run twice", [](Json& json) { json["waiting"].push_back(json["waiting"][0]); });
  expect_refused("never run", [](Json& json) { json["waiting"].erase(0); });
  expect_refused("no case", [](Json& json) { json["waiting"][0]["count"] = 0; });
  expect_refused("another epoch", [](Json& json) { json["waiting"][0]["epoch"] = 0; });
  expect_refused("in common", [](Json& json) {
    json["waiting"][0]["count"] = json["waiting"][0]["count"].get<int>() + 1;
    json["waiting"][1]["count"] = json["waiting"][1]["count"].get<int>() - 1;
  });
  expect_refused("past the end", [](Json& json) {
    json["waiting"][0]["first"] = std::numeric_limits<std::int64_t>::max();
  });
  expect_refused("more cases", [](Json& json) { json["total"]["cases"] = 641; });
  expect_refused("nothing waits", [](Json& json) { json["waiting"] = Json::array(); });
  expect_refused("weights of a finding", [](Json& json) { json["weights"].erase(0); });
  expect_refused("a seed that is none", [](Json& json) { json["header"]["seed"] = 1e300; });
  expect_refused("a first case of no epoch",
                 [](Json& json) { json["total"]["findings"][0]["index"] = 512; });
  std::ofstream(ledger_file(folder.path())) << good;
  EXPECT_EQ(Ledger(header(), folder.path()).total().cases, 640);
}

TEST(Ledger, TakesAsManyCasesAsAreWantedAndLosesNoneOfTheRest) {
  Ledger ledger({"walk", 1, "reference", "oracle", "1.0"}, {});
  const std::int64_t epoch = ledger.campaign().epoch_cases;
  EXPECT_EQ(ledger.waiting_cases(), epoch);
  EXPECT_EQ(ledger.take(epoch, 16), (Range{0, 0, 16}));
  EXPECT_EQ(ledger.take(20, 16), (Range{0, 16, 4}));
  EXPECT_EQ(ledger.take(20, 16), std::nullopt);
  EXPECT_EQ(ledger.waiting_cases(), epoch - 20);
  ledger.give_back({0, 0, 16});
  EXPECT_EQ(ledger.waiting_cases(), epoch - 4);
  EXPECT_EQ(ledger.take(epoch, 7), (Range{0, 0, 7}));
  EXPECT_EQ(ledger.take(epoch), (Range{0, 7, 9}));
  EXPECT_EQ(ledger.take(epoch, 1000), (Range{0, 20, ledger.campaign().range_cases - 20}));
}

}  // namespace
}  // namespace chainwalk::fuzz
