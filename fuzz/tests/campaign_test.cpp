// SPDX-License-Identifier: Apache-2.0
// Cases of campaigns: well-formed, a function of their place alone, and what their choices say.
#include "chainwalk/fuzz/campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <string>

#include "chainwalk/fuzz/examine.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::fuzz {
namespace {

Weights first_weights(const Campaign& campaign) { return make_weights(1, 0, campaign.allowed, {}); }

template <typename T>
bool same(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

bool same(const FuzzCase& a, const FuzzCase& b) {
  return a.problem.shape == b.problem.shape && same(a.problem.bank_before, b.problem.bank_before) &&
         same(a.problem.delta_v, b.problem.delta_v) && same(a.problem.records, b.problem.records) &&
         same(a.problem.tile_bounds, b.problem.tile_bounds) &&
         same(a.problem.group_prefix, b.problem.group_prefix) && a.options == b.options &&
         a.big_rows == b.big_rows && a.edits == b.edits;
}

class EveryCampaign : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Fuzz, EveryCampaign,
                         ::testing::Values("walk", "quantized", "boundaries", "flags", "schedules",
                                           "big", "plans"),
                         [](const auto& name) { return name.param; });

TEST_P(EveryCampaign, DrawsProblemsThatPassTheValidator) {
  const Campaign& campaign = find_campaign(GetParam());
  const Weights weights = first_weights(campaign);
  const bool ill_formed = campaign.allowed[index_of(Feature::flags_missing)];
  for (std::int64_t index = 0; index < 400; ++index) {
    const FuzzCase made = make_case(campaign, 7, {0, index}, weights);
    for (const InputFault& fault : validate(made.problem, {.max_faults = 1 << 20})) {
      ASSERT_TRUE(ill_formed && fault.rule == "REC-6") << index << ": " << fault.message;
    }
    const ProblemShape& shape = made.problem.shape;
    ASSERT_LE(shape.num_chunks * shape.positions, std::max(campaign.max_records, shape.num_chunks));
  }
}

TEST(Fingerprint, SeesEveryPartOfACase) {
  const Campaign& campaign = find_campaign("walk");
  const FuzzCase made = make_case(campaign, 3, {0, 1}, first_weights(campaign));
  std::set<std::int64_t> seen{fingerprint(made)};
  const auto expect_another = [&](const auto& change) {
    FuzzCase changed = made;
    change(changed);
    EXPECT_TRUE(seen.insert(fingerprint(changed)).second) << seen.size();
  };
  expect_another([](FuzzCase& one) { one.problem.shape.head_dim += 1; });
  expect_another([](FuzzCase& one) { one.problem.shape.bank_type = BankType{7}; });
  expect_another([](FuzzCase& one) { one.problem.bank_before = {}; });
  expect_another([](FuzzCase& one) { one.problem.delta_v = {}; });
  expect_another([](FuzzCase& one) { one.problem.records = {}; });
  expect_another([](FuzzCase& one) { one.problem.tile_bounds = {}; });
  expect_another([](FuzzCase& one) { one.problem.group_prefix = {}; });
  expect_another([](FuzzCase& one) { one.options.emplace_back("schedule=random"); });
  expect_another([](FuzzCase& one) { one.options = {"schedule=", "random"}; });
  expect_another([](FuzzCase& one) { one.big_rows = {1, 2}; });
  expect_another([](FuzzCase& one) { one.big_slots = 1; });
  expect_another([](FuzzCase& one) { one.edits = {request_edit("bank.rank", 2)}; });
}

TEST(Fingerprint, SumsStayInRange) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(add_fingerprints(0, most), most);
  EXPECT_EQ(add_fingerprints(1, most), 0);
  EXPECT_EQ(add_fingerprints(most, most), most - 1);
}

TEST_P(EveryCampaign, MakesACaseFromItsPlaceAlone) {
  const Campaign& campaign = find_campaign(GetParam());
  const Weights weights = first_weights(campaign);
  const FuzzCase fifth = make_case(campaign, 3, {2, 5}, weights);
  (void)make_case(campaign, 3, {2, 6}, weights);
  EXPECT_TRUE(same(fifth, make_case(campaign, 3, {2, 5}, weights)));
  EXPECT_FALSE(same(fifth, make_case(campaign, 3, {2, 6}, weights)));
  EXPECT_FALSE(same(fifth, make_case(campaign, 3, {3, 5}, weights)));
  EXPECT_EQ(fingerprint(fifth), fingerprint(make_case(campaign, 3, {2, 5}, weights)));
  EXPECT_NE(fingerprint(fifth), fingerprint(make_case(campaign, 3, {2, 6}, weights)));
  EXPECT_FALSE(same(fifth, make_case(campaign, 4, {2, 5}, weights)));
}

// Every choice that a campaign allows is drawn in its first epochs, and what can be noticed of it
// is noticed.
TEST_P(EveryCampaign, DrawsEveryChoice) {
  const Campaign& campaign = find_campaign(GetParam());
  Coverage coverage;
  for (std::int64_t index = 0; index < 1500; ++index) {
    const CasePlace place{0, index};
    coverage.add(place, features_of(make_case(campaign, 1, place, first_weights(campaign))));
  }
  for (std::size_t index = 0; index < feature_count; ++index) {
    const auto feature = static_cast<Feature>(index);
    if (campaign.allowed[index]) {
      EXPECT_GT(coverage.count(feature), 0) << info(feature).id;
    }
  }
}

// What the chain and the quantizers meet at ties and borders is reached without any steering.
TEST(Campaign, MeetsEveryEventOfTheWalk) {
  Coverage coverage;
  for (const char* name : {"walk", "quantized", "boundaries"}) {
    const Campaign& campaign = find_campaign(name);
    const Weights weights = first_weights(campaign);
    for (std::int64_t index = 0; index < 1500; ++index)
      coverage.add({0, index}, features_of(make_case(campaign, 1, {0, index}, weights)));
  }
  for (const Feature feature : features_of(Axis::seen))
    EXPECT_GT(coverage.count(feature), 0) << info(feature).id;
}

TEST(Campaign, RefusesAnUnknownNameWithTheList) {
  try {
    (void)find_campaign("walks");
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("'walks'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("quantized"), std::string::npos);
  }
}

// A tie to bf16 by hand: 1 + 2^-8 lies half way between 1 and 1 + 2^-7.
TEST(Features, NoticeATieOfTheStore) {
  struct Tensors {
    alignas(16) std::uint16_t bank[8] = {};
    alignas(16) float delta_v[8] = {1.00390625F};
    Record records[1] = {{record_first | record_last, 0, 0x3F80'0000U, 0}};
    std::int32_t bounds[5] = {0, 1, 1, 1, 1};
    std::int32_t prefix[5] = {0, 1, 1, 1, 1};
  } tensors;
  Problem problem;
  problem.shape = {BankType::bf16, SnapshotForm::none, 1, 8, 1, 1, 1, 1, 1, 1, 4, 1};
  problem.bank_before = std::as_bytes(std::span(tensors.bank));
  problem.delta_v = tensors.delta_v;
  problem.records = tensors.records;
  problem.tile_bounds = tensors.bounds;
  problem.group_prefix = tensors.prefix;
  ASSERT_TRUE(validate(problem).empty());
  EXPECT_TRUE(noticed_features(problem)[index_of(Feature::store_tie)]);
  tensors.delta_v[0] = 1.00390637F;  // one unit more: no tie
  EXPECT_FALSE(noticed_features(problem)[index_of(Feature::store_tie)]);
}

}  // namespace
}  // namespace chainwalk::fuzz
