// SPDX-License-Identifier: Apache-2.0
// The kept cases of a campaign cover what the campaign covered, and none of them could go.
#include <gtest/gtest.h>

#include <set>

#include "chainwalk/fuzz/corpus.h"

namespace chainwalk::fuzz {
namespace {

TEST(Corpus, CoversEverythingWithFewCases) {
  Ledger ledger({"quantized", 3, "nothing", "reference", "1.0"}, {});
  while (const auto range = ledger.take(600)) {
    RangeOutcome outcome;
    for (std::int64_t index = range->first; index < range->first + range->count; ++index) {
      const CasePlace place{range->epoch, index};
      const FuzzCase made =
          make_case(ledger.campaign(), ledger.header().seed, place, ledger.weights());
      outcome.coverage.add(place, features_of(made));
      ++outcome.cases;
    }
    ASSERT_TRUE(ledger.finish(*range, outcome));
  }
  const auto kept = minimal_corpus(ledger);
  FeatureSet covered;
  std::set<std::string> names;
  for (const CorpusCase& one : kept) {
    const FeatureSet features = features_of(one.fuzz_case);
    EXPECT_TRUE((features & ~covered).any()) << one.name << " adds nothing";
    covered |= features;
    EXPECT_TRUE(names.insert(one.name).second) << one.name;
  }
  for (std::size_t index = 0; index < feature_count; ++index) {
    const auto feature = static_cast<Feature>(index);
    EXPECT_EQ(covered[index], ledger.total().coverage.count(feature) != 0) << info(feature).id;
  }
  EXPECT_LT(kept.size(), 40U);
}

TEST(Corpus, KeepsACaseForAnEdgeOfItsOwn) {
  Ledger ledger({"walk", 1, "nothing", "reference", "1.0"}, {});
  const Range range = *ledger.take(3);
  RangeOutcome outcome;
  const std::uint32_t common[] = {7};
  const std::uint32_t rare[] = {7, 0xFF};
  const FeatureSet features =
      features_of(make_case(ledger.campaign(), 1, {0, 0}, ledger.weights()));
  outcome.coverage.add({0, 0}, features, common);
  outcome.coverage.add({0, 1}, features, common);
  outcome.coverage.add({0, 2}, features, rare);
  ASSERT_TRUE(ledger.finish(range, outcome));
  std::set<std::int64_t> places;
  for (const CorpusCase& one : minimal_corpus(ledger)) places.insert(one.place.index);
  EXPECT_EQ(places, (std::set<std::int64_t>{0, 2}));
}

}  // namespace
}  // namespace chainwalk::fuzz
