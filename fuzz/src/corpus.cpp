// SPDX-License-Identifier: Apache-2.0
// Which cases to keep.
#include "chainwalk/fuzz/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace chainwalk::fuzz {
namespace {

struct Candidate {
  FuzzCase fuzz_case;
  FeatureSet features;
  std::set<std::uint32_t> edges;  // those that it was the first to run through
};

std::map<CasePlace, Candidate> candidates_of(const Ledger& ledger) {
  const Coverage& coverage = ledger.total().coverage;
  std::map<CasePlace, Candidate> candidates;
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (const auto first = coverage.first(static_cast<Feature>(index))) candidates[*first];
  }
  for (const auto& [edge, counted] : coverage.edges()) candidates[counted.first].edges.insert(edge);
  for (auto& [place, candidate] : candidates) {
    candidate.fuzz_case = ledger.case_at(place);
    candidate.features = features_of(candidate.fuzz_case);
  }
  return candidates;
}

// The rarest of `features`, or the least of `edges` where there is none.
std::string name_of(const Coverage& coverage, const FeatureSet& features,
                    const std::set<std::uint32_t>& edges) {
  std::size_t rarest = feature_count;
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (features[index] &&
        (rarest == feature_count || coverage.count(static_cast<Feature>(index)) <
                                        coverage.count(static_cast<Feature>(rarest))))
      rarest = index;
  }
  if (rarest != feature_count) return fmt::format("feature_{}", feature_list()[rarest].id);
  return fmt::format("edge_{:04x}", *edges.begin());
}

}  // namespace

std::vector<CorpusCase> minimal_corpus(const Ledger& ledger) {
  auto candidates = candidates_of(ledger);
  FeatureSet left;
  for (const auto& [place, candidate] : candidates) left |= candidate.features;
  std::vector<CorpusCase> kept;
  const auto worth = [&](const Candidate& candidate) {
    return (candidate.features & left).count() + candidate.edges.size();
  };
  while (!candidates.empty()) {
    const auto best = std::max_element(
        candidates.begin(), candidates.end(),
        [&](const auto& a, const auto& b) { return worth(a.second) < worth(b.second); });
    Candidate& candidate = best->second;
    if (worth(candidate) == 0) break;
    kept.push_back({name_of(ledger.total().coverage, candidate.features & left, candidate.edges),
                    best->first, std::move(candidate.fuzz_case)});
    left &= ~candidate.features;
    candidates.erase(best);
  }
  return kept;
}

}  // namespace chainwalk::fuzz
