// SPDX-License-Identifier: Apache-2.0
// Coverage: how many cases had each feature and each pair of features, and which case was the
// first. A value that merges in any order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "chainwalk/fuzz/features.h"

namespace chainwalk::fuzz {

// Which case of a campaign: `index` counts from 0 in every epoch.
struct CasePlace {
  std::int64_t epoch = 0;
  std::int64_t index = 0;

  friend auto operator<=>(const CasePlace&, const CasePlace&) = default;
};

// Cases that ran through an edge.
struct EdgeCount {
  std::int64_t count = 0;
  CasePlace first;

  friend bool operator==(const EdgeCount&, const EdgeCount&) = default;
};

class Coverage {
 public:
  // Counts one case. `edges` are hashes of the edges that it ran through, in builds that record
  // them (CHAINWALK_FUZZ_EDGES), without repeats.
  void add(CasePlace place, const FeatureSet& features, std::span<const std::uint32_t> edges = {});
  // Adds what another has counted. The two have no case in common.
  void merge(const Coverage& other);

  std::int64_t cases() const noexcept { return cases_; }
  std::int64_t count(Feature feature) const { return counts_[index_of(feature)]; }
  // Cases with both features; of one feature with itself: its count.
  std::int64_t count(Feature a, Feature b) const;
  // The first case that had the feature.
  std::optional<CasePlace> first(Feature feature) const;
  const std::map<std::uint32_t, EdgeCount>& edges() const noexcept { return edges_; }

  friend bool operator==(const Coverage&, const Coverage&) = default;

 private:
  friend nlohmann::ordered_json to_json(const Coverage& coverage);
  friend Coverage coverage_from_json(const nlohmann::ordered_json& json);
  static std::size_t pair_index(std::size_t a, std::size_t b);  // a > b
  void add_edge(std::uint32_t edge, const EdgeCount& counted);

  std::int64_t cases_ = 0;
  std::array<std::int64_t, feature_count> counts_{};
  std::array<std::optional<CasePlace>, feature_count> firsts_{};
  std::vector<std::int64_t> pairs_;  // empty until there is one
  std::map<std::uint32_t, EdgeCount> edges_;
};

// from_json throws chainwalk::InputError for anything that to_json does not write.
nlohmann::ordered_json to_json(const Coverage& coverage);
Coverage coverage_from_json(const nlohmann::ordered_json& json);

}  // namespace chainwalk::fuzz
