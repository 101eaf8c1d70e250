// SPDX-License-Identifier: Apache-2.0
// The kept cases of a campaign cover what the campaign covered, and none of them could go.
#include <gtest/gtest.h>

#include <set>

#include "chainwalk/fuzz/corpus.h"

namespace chainwalk::fuzz {
namespace {

// A ledger of `cases` cases; case `with_edge` alone runs through edge 0xFF, all through 7.
Ledger ledger_of(std::int64_t cases, std::int64_t with_edge) {
  Ledger ledger({"quantized", 3, "nothing", "reference", "1.0"}, {});
  const std::uint32_t common[] = {7};
  const std::uint32_t rare[] = {7, 0xFF};
  while (const auto range = ledger.take(cases)) {
    RangeOutcome outcome;
    for (std::int64_t index = range->first; index < range->first + range->count; ++index) {
      const CasePlace place{range->epoch, index};
      const FuzzCase made =
          make_case(ledger.campaign(), ledger.header().seed, place, ledger.weights());
      outcome.coverage.add(place, features_of(made),
                           index == with_edge ? std::span<const std::uint32_t>(rare) : common);
      ++outcome.cases;
    }
    EXPECT_TRUE(ledger.finish(*range, outcome));
  }
  return ledger;
}

TEST(Corpus, CoversEverythingWithFewCases) {
  const Ledger ledger = ledger_of(600, -1);
  const auto kept = minimal_corpus(ledger);
  FeatureSet covered;
  std::set<std::string> names;
  for (const CorpusCase& one : kept) {
    const FeatureSet features = features_of(one.fuzz_case);
    EXPECT_TRUE((features & ~covered).any() || one.place.index == 0) << one.name << " adds nothing";
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
  const auto places = [](const Ledger& ledger) {
    std::set<std::int64_t> kept;
    for (const CorpusCase& one : minimal_corpus(ledger)) kept.insert(one.place.index);
    return kept;
  };
  const std::set<std::int64_t> without = places(ledger_of(600, -1));
  std::int64_t unwanted = 1;
  while (without.contains(unwanted)) ++unwanted;
  EXPECT_TRUE(places(ledger_of(600, unwanted)).contains(unwanted));
}

}  // namespace
}  // namespace chainwalk::fuzz
