// SPDX-License-Identifier: Apache-2.0
// Coverage as a value, and the weights that follow from it.
#include "chainwalk/fuzz/weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::fuzz {
namespace {

FeatureSet set_of(std::initializer_list<Feature> features) {
  FeatureSet set;
  for (const Feature feature : features) set.set(index_of(feature));
  return set;
}

TEST(Coverage, CountsFeaturesAndPairs) {
  Coverage coverage;
  coverage.add({0, 3}, set_of({Feature::head_1, Feature::n_1, Feature::steps_1}));
  coverage.add({0, 1}, set_of({Feature::head_1, Feature::n_1}));
  coverage.add({0, 2}, set_of({Feature::head_1}));
  EXPECT_EQ(coverage.cases(), 3);
  EXPECT_EQ(coverage.count(Feature::head_1), 3);
  EXPECT_EQ(coverage.count(Feature::n_1, Feature::head_1), 2);
  EXPECT_EQ(coverage.count(Feature::head_1, Feature::n_1), 2);
  EXPECT_EQ(coverage.count(Feature::steps_1, Feature::n_1), 1);
  EXPECT_EQ(coverage.count(Feature::head_256, Feature::n_1), 0);
  EXPECT_EQ(coverage.first(Feature::n_1), (CasePlace{0, 1}));
  EXPECT_EQ(coverage.first(Feature::head_256), std::nullopt);
}

TEST(Coverage, MergesInAnyOrderAndGoesThroughJson) {
  Coverage parts[3];
  const std::uint32_t edges[] = {7, 9};
  parts[0].add({0, 4}, set_of({Feature::head_1, Feature::n_1}), edges);
  parts[1].add({0, 2}, set_of({Feature::head_1, Feature::store_tie}), std::span(edges).first(1));
  parts[2].add({1, 0}, set_of({Feature::head_256}));
  Coverage forward;
  for (const Coverage& part : parts) forward.merge(part);
  Coverage backward;
  for (const std::size_t index : {2U, 1U, 0U})
    backward.merge(coverage_from_json(to_json(parts[index])));
  EXPECT_EQ(forward, backward);
  EXPECT_EQ(forward.cases(), 3);
  EXPECT_EQ(forward.count(Feature::head_1), 2);
  EXPECT_EQ(forward.count(Feature::head_1, Feature::n_1), 1);
  EXPECT_EQ(forward.first(Feature::head_1), (CasePlace{0, 2}));
  EXPECT_EQ(forward.edges().at(7), (EdgeCount{2, {0, 2}}));
  EXPECT_EQ(forward.edges().at(9), (EdgeCount{1, {0, 4}}));
}

TEST(Coverage, RefusesJsonThatItDidNotWrite) {
  using Json = nlohmann::ordered_json;
  Coverage coverage;
  coverage.add({0, 0}, set_of({Feature::head_1, Feature::n_1}));
  const Json good = to_json(coverage);
  for (const auto& [pointer, value] : std::initializer_list<std::pair<const char*, Json>>{
           {"/cases", -1},
           {"/cases", "many"},
           {"/features/head_1", Json::array({1})},
           {"/features/no_such", Json::array({1, 0, 0})},
           {"/pairs/0", Json::array({"head_1", "n_1", 1})},
           {"/pairs/0", Json::array({"n_1", "head_1", 1.5})},
           {"/edges", 5}}) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    EXPECT_THROW((void)coverage_from_json(bad), InputError) << pointer << " " << value;
  }
}

TEST(Findings, KeepTheLeastPlaceAndAddCounts) {
  const auto found = [](const char* text, CasePlace place, std::int64_t count) {
    Finding finding;
    finding.judgement.verdict = conformance::Verdict::fail;
    finding.judgement.key = "no-restart";
    finding.judgement.text = text;
    finding.first = place;
    finding.count = count;
    return Findings{{"no-restart", finding}};
  };
  Findings merged = found("later", {1, 4}, 2);
  merge(merged, found("first", {0, 9}, 3));
  merge(merged, found("last", {2, 0}, 1));
  ASSERT_EQ(merged.size(), 1U);
  EXPECT_EQ(merged.at("no-restart").judgement.text, "first");
  EXPECT_EQ(merged.at("no-restart").first, (CasePlace{0, 9}));
  EXPECT_EQ(merged.at("no-restart").count, 6);
  const Findings back = findings_from_json(to_json(merged));
  EXPECT_EQ(to_json(back).dump(), to_json(merged).dump());
}

TEST(Weights, BeginWithTheList) {
  const Campaign& campaign = find_campaign("walk");
  const Weights weights = make_weights(1, 0, campaign.allowed, {});
  EXPECT_EQ(weights.of[index_of(Feature::head_256)], 0U);  // not allowed
  EXPECT_EQ(weights.of[index_of(Feature::store_tie)], 0U);
  EXPECT_EQ(weights.of[index_of(Feature::n_2_8)], 16U * weights.of[index_of(Feature::n_0)]);
  EXPECT_TRUE(weights.aims.empty());
}

TEST(Weights, FavourWhatWasRare) {
  const Campaign& campaign = find_campaign("boundaries");
  Coverage coverage;
  for (int index = 0; index < 300; ++index) {
    coverage.add({0, index}, set_of({index % 30 == 0 ? Feature::decay_zero : Feature::decay_cancel,
                                     Feature::chain_plain}));
  }
  const Weights first = make_weights(1, 0, campaign.allowed, {});
  const Weights later = make_weights(1, 1, campaign.allowed, coverage);
  const auto share = [](const Weights& weights, Feature rare, Feature common) {
    return static_cast<double>(weights.of[index_of(rare)]) / weights.of[index_of(common)];
  };
  EXPECT_GT(share(later, Feature::decay_zero, Feature::decay_cancel),
            2 * share(first, Feature::decay_zero, Feature::decay_cancel));
  for (const Feature feature : features_of(Axis::decay))
    EXPECT_GT(later.of[index_of(feature)], 0U) << info(feature).id;
  ASSERT_FALSE(later.aims.empty());
  // A pair that came often is no aim while there are pairs that never came.
  EXPECT_EQ(std::count(later.aims.begin(), later.aims.end(),
                       Aim{Feature::chain_plain, Feature::decay_cancel}),
            0);
  for (const Aim& aim : later.aims) {
    EXPECT_NE(info(aim.first).axis, info(aim.second).axis);
    EXPECT_TRUE(campaign.allowed[index_of(aim.first)] && campaign.allowed[index_of(aim.second)]);
  }
}

// Edge 9 is the rarest: the choices of its first case are aimed at, in pairs.
TEST(Weights, AimAtWhatReachedARareEdge) {
  const Campaign& campaign = find_campaign("boundaries");
  Coverage coverage;
  const std::uint32_t edges[] = {7, 9};
  const auto common = set_of({Feature::head_256, Feature::n_9_32, Feature::decay_one});
  const auto rare =
      set_of({Feature::head_1, Feature::n_1, Feature::decay_zero, Feature::store_tie});
  for (std::int64_t index = 0; index < 40; ++index) {
    const bool last = index == 39;
    coverage.add({0, index}, last ? rare : common, std::span(edges).first(last ? 2 : 1));
  }
  EXPECT_EQ(rare_edge_cases(coverage), (std::vector<CasePlace>{{0, 39}, {0, 0}}));
  const Weights without = make_weights(1, 1, campaign.allowed, coverage);
  const Weights weights = make_weights(1, 1, campaign.allowed, coverage, std::span(&rare, 1));
  ASSERT_GT(weights.aims.size(), without.aims.size());
  for (std::size_t at = without.aims.size(); at < weights.aims.size(); ++at) {
    const Aim& aim = weights.aims[at];
    EXPECT_TRUE(rare[index_of(aim.first)] && rare[index_of(aim.second)]);
    EXPECT_NE(info(aim.first).axis, info(aim.second).axis);
    EXPECT_TRUE(campaign.allowed[index_of(aim.first)] && campaign.allowed[index_of(aim.second)]);
  }
}

TEST(Weights, DependOnSeedEpochAndCoverageOnlyAndGoThroughJson) {
  const Campaign& campaign = find_campaign("boundaries");
  Coverage coverage;
  coverage.add({0, 0}, set_of({Feature::head_1, Feature::n_1, Feature::store_tie}));
  const Weights weights = make_weights(5, 1, campaign.allowed, coverage);
  EXPECT_EQ(weights, make_weights(5, 1, campaign.allowed, coverage));
  EXPECT_NE(weights, make_weights(6, 1, campaign.allowed, coverage));
  EXPECT_NE(weights, make_weights(5, 2, campaign.allowed, coverage));
  EXPECT_EQ(weights, weights_from_json(to_json(weights)));
  EXPECT_THROW((void)weights_from_json({{"of", {{"nothing", 1}}}, {"aims", 1}}), InputError);
}

}  // namespace
}  // namespace chainwalk::fuzz
