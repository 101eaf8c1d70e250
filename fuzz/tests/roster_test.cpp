// SPDX-License-Identifier: Apache-2.0
// Who is lost, what is dealt again, and that with a ledger every range counts once, whoever dies,
// falls silent or comes back.
#include "chainwalk/fuzz/roster.h"

#include <gtest/gtest.h>

#include <random>

#include "chainwalk/fuzz/ledger.h"

namespace chainwalk::fuzz {
namespace {

constexpr double silence_max = 10;

Range range_at(std::int64_t place) { return {0, place * 8, 8}; }

TEST(Roster, RoomIsWhatIsLeftOfCapacity) {
  Roster roster(silence_max);
  EXPECT_EQ(roster.with_room(), std::nullopt);
  roster.join(1, 2, 0);
  roster.join(2, 3, 0);
  EXPECT_EQ(roster.with_room(), 2);
  EXPECT_EQ(roster.capacity(), 5U);
  roster.dealt(2, range_at(0));
  roster.dealt(2, range_at(1));
  EXPECT_EQ(roster.with_room(), 1);
  roster.dealt(1, range_at(2));
  roster.dealt(1, range_at(3));
  roster.dealt(2, range_at(4));
  EXPECT_EQ(roster.with_room(), std::nullopt);
  roster.returned(range_at(3));
  EXPECT_EQ(roster.with_room(), 1);
}

TEST(Roster, SilenceBeyondTheLimitLosesAMemberOnce) {
  Roster roster(silence_max);
  roster.join(1, 2, 0);
  roster.join(2, 2, 0);
  roster.dealt(1, range_at(0));
  roster.dealt(1, range_at(1));
  roster.heard(2, 9);
  EXPECT_TRUE(roster.lose_silent(10).empty());  // the limit itself is not past it
  const auto losses = roster.lose_silent(10.5);
  ASSERT_EQ(losses.size(), 1U);
  EXPECT_EQ(losses[0].member, 1);
  EXPECT_EQ(losses[0].ranges, (std::vector<Range>{range_at(0), range_at(1)}));
  EXPECT_TRUE(roster.lose_silent(10.5).empty());
  EXPECT_EQ(roster.present(), std::vector<int>{2});
  EXPECT_EQ(roster.with_room(), 2);
  EXPECT_EQ(roster.capacity(), 2U);
  EXPECT_EQ(roster.losses(), 1U);
}

TEST(Roster, AMemberThatSpeaksAgainIsThereAgainWithNothing) {
  Roster roster(silence_max);
  roster.join(1, 1, 0);
  roster.dealt(1, range_at(0));
  ASSERT_EQ(roster.lose_silent(11).size(), 1U);
  roster.heard(1, 12);
  EXPECT_EQ(roster.present(), std::vector<int>{1});
  EXPECT_EQ(roster.with_room(), 1);
  EXPECT_TRUE(roster.lose_silent(13).empty());
}

TEST(Roster, WhoLeftIsNeitherLostNorHeard) {
  Roster roster(silence_max);
  roster.join(1, 1, 0);
  roster.leave(1);
  roster.heard(1, 1);
  EXPECT_TRUE(roster.present().empty());
  EXPECT_TRUE(roster.lose_silent(100).empty());
  EXPECT_EQ(roster.losses(), 0U);
}

RangeOutcome outcome_of(const Range& range) {
  RangeOutcome outcome;
  outcome.cases = range.count;
  for (std::int64_t index = range.first; index < range.first + range.count; ++index)
    outcome.coverage.add({range.epoch, index}, {});
  return outcome;
}

// Members die, fall silent and speak again at random, and one lives: the campaign ends, and every
// case is counted exactly once.
TEST(Roster, AnyHistoryCountsEveryCaseOnce) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Ledger ledger({std::string(campaigns().front().name), 1, "reference", "oracle", "1.0"}, {});
    const std::int64_t limit = ledger.campaign().epoch_cases * 2 + 5;
    Roster roster(silence_max);
    std::map<int, std::vector<Range>> held;  // what members really have
    std::set<int> dead;                      // until they are lost, and another takes their place
    double now = 0;
    for (int member = 0; member < 4; ++member) roster.join(member, 3, now);
    for (int turn = 0; ledger.total().cases < limit; ++turn) {
      ASSERT_LT(turn, 200000);
      now += static_cast<double>(random() % 4);
      const int member = static_cast<int>(random() % 4);
      auto& mine = held[member];
      if (random() % 8 == 0 && member != 0) {
        mine.clear();
        dead.insert(member);
      }
      if (random() % 2 == 0 && !dead.contains(member)) {
        roster.heard(member, now);
        for (; !mine.empty(); mine.pop_back()) {
          (void)ledger.finish(mine.back(), outcome_of(mine.back()));
          roster.returned(mine.back());
        }
      }
      for (const auto& loss : roster.lose_silent(now)) {
        for (const Range& range : loss.ranges) ledger.give_back(range);
        if (dead.erase(loss.member) != 0) roster.heard(loss.member, now);
      }
      while (const auto taker = roster.with_room()) {
        const auto range = ledger.take(limit);
        if (!range) break;
        roster.dealt(*taker, *range);
        held[*taker].push_back(*range);
      }
    }
    EXPECT_EQ(ledger.total().cases, limit);
    EXPECT_EQ(ledger.total().coverage.cases(), limit);
  }
}

}  // namespace
}  // namespace chainwalk::fuzz
