// SPDX-License-Identifier: Apache-2.0
// Rank 0's side against ranks that are scripted: what they are told, and that none of their deaths,
// silences and late answers loses or doubles a case.
#include "chainwalk/fuzz/ranks.h"

#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <thread>

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;

// Rank 0 of `size` whose others are the test.
class ScriptedTransport final : public Transport {
 public:
  explicit ScriptedTransport(int size) : size_(size) {}
  int rank() const override { return 0; }
  int size() const override { return size_; }
  int local_rank() const override { return 0; }
  void send(int to, std::string_view text) override {
    const Json said = Json::parse(text);
    if (!said.contains("alive")) told[to].push_back(said);
    if (said.contains("stop") && polite.contains(to)) say(to, {{"bye", true}});
  }
  std::optional<Message> receive() override {
    if (coming_.empty()) return std::nullopt;
    Message message = coming_.front();
    coming_.pop_front();
    return message;
  }
  void leave(bool together) override { left = together; }

  void say(int from, const Json& message) { say_text(from, message.dump()); }
  void say_text(int from, const std::string& text) { coming_.push_back({from, text}); }

  std::map<int, std::deque<Json>> told;
  std::set<int> polite;  // ranks that say goodbye
  std::optional<bool> left;

 private:
  int size_;
  std::deque<Message> coming_;
};

constexpr double forever = 1e6;

LedgerHeader header() {
  return {std::string(campaigns().front().name), 7, "reference", "oracle", "1.0"};
}

Json hello(int jobs) {
  const auto& h = header();
  return {{"hello",
           {{"runs", "campaign " + h.campaign + " version " + std::to_string(campaign_version) +
                         " with seed 7 on reference against oracle, specification 1.0"},
            {"jobs", jobs}}}};
}

Range range_told(const Json& message) { return range_from_json(message.at("range")); }

Json done(const Range& range) {
  RangeOutcome outcome;
  outcome.cases = range.count;
  for (std::int64_t index = range.first; index < range.first + range.count; ++index)
    outcome.coverage.add({range.epoch, index}, {});
  return {{"done", to_json(RangeDone{range, outcome, {}})}};
}

TEST(Ranks, DealsToWhoeverIsThereAndTellsWeightsOnceAnEpoch) {
  ScriptedTransport transport(2);
  RemoteRanks ranks(transport, header(), forever);
  Ledger ledger(header(), {});
  EXPECT_FALSE(ranks.has_idle());
  transport.say(1, hello(1));
  (void)ranks.news();
  std::vector<Range> taken;
  while (ranks.has_idle()) {
    taken.push_back(ledger.take(1 << 20).value());
    ranks.start(taken.back(), ledger.weights());
  }
  ASSERT_GE(taken.size(), 2U);
  ASSERT_EQ(transport.told[1].size(), taken.size() + 1);
  EXPECT_EQ(weights_from_json(transport.told[1][0].at("weights")), ledger.weights());
  EXPECT_EQ(range_told(transport.told[1][1]), taken[0]);
  transport.say(1, done(taken[1]));
  const auto news = ranks.news();
  ASSERT_EQ(news.done.size(), 1U);
  EXPECT_EQ(news.done[0].range, taken[1]);
  EXPECT_TRUE(ledger.finish(news.done[0].range, news.done[0].outcome));
  EXPECT_TRUE(ranks.has_idle());
}

TEST(Ranks, ARankOfAnotherCampaignIsSentAway) {
  ScriptedTransport transport(2);
  RemoteRanks ranks(transport, header(), forever);
  transport.say(1, {{"hello", {{"runs", "campaign other"}, {"jobs", 1}}}});
  (void)ranks.news();
  EXPECT_FALSE(ranks.has_idle());
  ASSERT_EQ(transport.told[1].size(), 1U);
  EXPECT_TRUE(transport.told[1][0].contains("away"));
  const auto notes = ranks.take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("campaign other"), std::string::npos) << notes[0];
  ranks.dismiss();  // does not wait for it
  EXPECT_EQ(transport.left, false);
}

TEST(Ranks, WhatASilentRankHadComesBackAndItsLateAnswerHarmsNobody) {
  ScriptedTransport transport(2);
  RemoteRanks ranks(transport, header(), 0.02);
  Ledger ledger(header(), {});
  transport.say(1, hello(1));
  (void)ranks.news();
  const Range range = ledger.take(1 << 20).value();
  ranks.start(range, ledger.weights());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const auto news = ranks.news();
  ASSERT_EQ(news.lost, std::vector<Range>{range});
  ledger.give_back(range);
  EXPECT_FALSE(ranks.has_idle());
  EXPECT_EQ(ranks.losses(), 1U);
  EXPECT_EQ(ranks.take_notes().size(), 1U);
  // It was only slow. Its range waits for somebody already; it gets work again.
  transport.say(1, done(range));
  const auto late = ranks.news();
  ASSERT_EQ(late.done.size(), 1U);
  EXPECT_FALSE(ledger.finish(late.done[0].range, late.done[0].outcome));
  EXPECT_EQ(ledger.take(1 << 20), range);
  EXPECT_TRUE(ranks.has_idle());
  // It is told the weights again, since another may run under its number.
  ranks.start(range, ledger.weights());
  EXPECT_TRUE(transport.told[1][transport.told[1].size() - 2].contains("weights"));
}

TEST(Ranks, WhoCannotBeUnderstoodIsSentAwayAndLosesItsRanges) {
  const std::vector<std::string> nonsense{"x", "{\"done\": 3}", "{\"done\": {\"range\": {}}}",
                                          "{\"hello\": {\"runs\": 1}}", std::string(100000, '[')};
  for (const std::string& text : nonsense) {
    ScriptedTransport transport(2);
    RemoteRanks ranks(transport, header(), forever);
    transport.say(1, hello(1));
    (void)ranks.news();
    Ledger ledger(header(), {});
    const Range range = ledger.take(1 << 20).value();
    ranks.start(range, ledger.weights());
    transport.say_text(1, text);
    EXPECT_EQ(ranks.news().lost, std::vector<Range>{range});
    EXPECT_FALSE(ranks.has_idle());
    EXPECT_TRUE(transport.told[1].back().contains("away"));
  }
}

TEST(Ranks, AllLeaveInStepOnlyWhereAllSaidGoodbye) {
  {
    ScriptedTransport transport(3);
    transport.polite = {1, 2};
    RemoteRanks ranks(transport, header(), forever);
    transport.say(1, hello(1));
    transport.say(2, hello(1));
    (void)ranks.news();
    ranks.dismiss();
    EXPECT_EQ(transport.left, true);
    EXPECT_EQ(transport.told[2].back().at("leave"), true);
  }
  {
    ScriptedTransport transport(3);
    transport.polite = {1};
    RemoteRanks ranks(transport, header(), 0.05);
    transport.say(1, hello(1));
    transport.say(2, hello(1));
    (void)ranks.news();
    ranks.dismiss();
    EXPECT_EQ(transport.left, false);
    EXPECT_GE(ranks.losses(), 1U);
  }
}

TEST(Ranks, WhoWasThoughtLostIsToldThatItIsOver) {
  ScriptedTransport transport(2);
  RemoteRanks ranks(transport, header(), 0.02);
  transport.say(1, hello(1));
  (void)ranks.news();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  ASSERT_TRUE(ranks.news().lost.empty());
  ASSERT_EQ(ranks.losses(), 1U);
  transport.polite = {1};
  transport.say(1, {{"alive", true}});
  ranks.dismiss();
  EXPECT_EQ(transport.left, true);
}

TEST(Ranks, WhoComesLateIsToldThatItIsOver) {
  ScriptedTransport transport(2);
  transport.polite = {1};
  RemoteRanks ranks(transport, header(), forever);
  transport.say(1, hello(1));  // not yet taken when the campaign ends
  ranks.dismiss();
  EXPECT_EQ(transport.left, true);
}

}  // namespace
}  // namespace chainwalk::fuzz
