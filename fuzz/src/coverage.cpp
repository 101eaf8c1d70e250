// SPDX-License-Identifier: Apache-2.0
// Counts of features and pairs.
#include "chainwalk/fuzz/coverage.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t pair_count = feature_count * (feature_count - 1) / 2;

void lower(std::optional<CasePlace>& first, const std::optional<CasePlace>& other) {
  if (other && (!first || *other < *first)) first = other;
}

}  // namespace

std::size_t Coverage::pair_index(std::size_t a, std::size_t b) { return a * (a - 1) / 2 + b; }

void Coverage::add(CasePlace place, const FeatureSet& features,
                   std::span<const std::uint32_t> edges) {
  ++cases_;
  if (pairs_.empty()) pairs_.resize(pair_count);
  std::array<std::size_t, feature_count> present{};
  std::size_t count = 0;
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (!features[index]) continue;
    ++counts_[index];
    lower(firsts_[index], place);
    for (std::size_t other = 0; other < count; ++other) ++pairs_[pair_index(index, present[other])];
    present[count++] = index;
  }
  for (const std::uint32_t edge : edges) add_edge(edge, {1, place});
}

void Coverage::add_edge(std::uint32_t edge, const EdgeCount& counted) {
  const auto [found, fresh] = edges_.emplace(edge, counted);
  if (fresh) return;
  found->second.count += counted.count;
  found->second.first = std::min(found->second.first, counted.first);
}

void Coverage::merge(const Coverage& other) {
  cases_ += other.cases_;
  for (std::size_t index = 0; index < feature_count; ++index) {
    counts_[index] += other.counts_[index];
    lower(firsts_[index], other.firsts_[index]);
  }
  if (pairs_.empty()) pairs_.resize(other.pairs_.size());
  for (std::size_t index = 0; index < other.pairs_.size(); ++index)
    pairs_[index] += other.pairs_[index];
  for (const auto& [edge, counted] : other.edges_) add_edge(edge, counted);
}

std::int64_t Coverage::count(Feature a, Feature b) const {
  if (a == b) return count(a);
  if (pairs_.empty()) return 0;
  return pairs_[pair_index(std::max(index_of(a), index_of(b)), std::min(index_of(a), index_of(b)))];
}

std::optional<CasePlace> Coverage::first(Feature feature) const {
  return firsts_[index_of(feature)];
}

// {"cases": n, "features": {id: [count, epoch, index]}, "pairs": [[a, b, count]...], "edges":
// [[edge, count, epoch, index]...]}; pairs name features by id, so that a longer list reads older
// files.
Json to_json(const Coverage& coverage) {
  Json features = Json::object();
  Json pairs = Json::array();
  const auto list = feature_list();
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (coverage.counts_[index] == 0) continue;
    const CasePlace first = *coverage.firsts_[index];
    features[std::string(list[index].id)] = {coverage.counts_[index], first.epoch, first.index};
    for (std::size_t other = 0; other < index; ++other) {
      const std::int64_t count = coverage.pairs_[Coverage::pair_index(index, other)];
      if (count != 0) pairs.push_back({list[index].id, list[other].id, count});
    }
  }
  Json edges = Json::array();
  for (const auto& [edge, counted] : coverage.edges_)
    edges.push_back({edge, counted.count, counted.first.epoch, counted.first.index});
  return {{"cases", coverage.cases_}, {"features", features}, {"pairs", pairs}, {"edges", edges}};
}

Coverage coverage_from_json(const Json& json) {
  return read_json("coverage", [&] {
    Coverage coverage;
    coverage.cases_ = natural(json.at("cases"));
    for (const auto& [id, entry] : json.at("features").items()) {
      const std::size_t index = index_of(known_feature(id));
      coverage.counts_[index] = natural(entry.at(0));
      coverage.firsts_[index] = CasePlace{natural(entry.at(1)), natural(entry.at(2))};
    }
    if (coverage.cases_ != 0) coverage.pairs_.resize(pair_count);
    for (const Json& entry : json.at("pairs")) {
      const std::size_t a = index_of(known_feature(entry.at(0).get<std::string>()));
      const std::size_t b = index_of(known_feature(entry.at(1).get<std::string>()));
      if (a <= b || coverage.counts_[a] == 0 || coverage.pairs_.empty())
        refuse_json("a pair that is none", entry);
      coverage.pairs_[Coverage::pair_index(a, b)] = natural(entry.at(2));
    }
    for (const Json& entry : json.at("edges")) {
      const std::int64_t edge = natural(entry.at(0));
      if (edge > 0xFFFF'FFFF) refuse_json("an edge of 32 bits is needed", entry);
      coverage.edges_[static_cast<std::uint32_t>(edge)] = {
          natural(entry.at(1)), {natural(entry.at(2)), natural(entry.at(3))}};
    }
    return coverage;
  });
}

}  // namespace chainwalk::fuzz
