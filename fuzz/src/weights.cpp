// SPDX-License-Identifier: Apache-2.0
// Weights of an epoch from what earlier epochs covered, in integers.
#include "chainwalk/fuzz/weights.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "chainwalk/generate/random.h"
#include "json_fields.h"

namespace chainwalk::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t unit = 64;          // of a weight: the list's own weights times this
constexpr std::uint64_t most_boost = 8;     // rarer features are drawn up to so many times as often
constexpr std::size_t pair_aims = 192;      // rarest pairs that become aims
constexpr std::size_t seen_aims = 16;       // rarest features of `seen` that become aims
constexpr std::size_t edge_cases = 16;      // first cases of the rarest edges that give aims
constexpr std::size_t aims_of_an_edge = 4;  // each of them

// floor(sqrt(value)), Newton's way.
std::uint64_t integer_root(std::uint64_t value) {
  if (value < 2) return value;
  std::uint64_t guess = std::uint64_t{1} << ((std::bit_width(value) + 1U) / 2U);
  for (;;) {
    const std::uint64_t next = (guess + value / guess) / 2;
    if (next >= guess) return guess;
    guess = next;
  }
}

std::uint64_t counted(const Coverage& coverage, Feature feature) {
  return static_cast<std::uint64_t>(coverage.count(feature));
}

// How often each choice of an axis would come by the list's weights against how often it came.
void weigh_axis(Axis axis, const FeatureSet& allowed, const Coverage& earlier, Weights& weights) {
  std::uint64_t all_weight = 0;
  std::uint64_t all_count = 0;
  for (const Feature feature : features_of(axis)) {
    if (!allowed[index_of(feature)]) continue;
    all_weight += info(feature).weight;
    all_count += counted(earlier, feature);
  }
  for (const Feature feature : features_of(axis)) {
    if (!allowed[index_of(feature)]) continue;
    const std::uint64_t own = info(feature).weight;
    // mean / (count + 1), squared units of 1/64 under the root.
    const std::uint64_t mean = all_weight == 0 ? 0 : all_count / features_of(axis).size() + 1;
    const std::uint64_t ratio = integer_root(mean * unit * unit / (counted(earlier, feature) + 1));
    const std::uint64_t boost =
        std::clamp<std::uint64_t>(ratio, unit / most_boost, unit * most_boost);
    weights.of[index_of(feature)] =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, own * boost));
  }
}

// The rarest pairs of choices of different axes; equal ones in an order that the seed shuffles.
void add_pair_aims(std::uint64_t seed, std::int64_t epoch, const FeatureSet& allowed,
                   const Coverage& earlier, std::vector<Aim>& aims) {
  using Candidate = std::tuple<std::int64_t, std::uint64_t, std::size_t, std::size_t>;
  std::vector<Candidate> candidates;
  // Every case has the one choice of an axis without others: nothing to aim at.
  FeatureSet choices = allowed;
  for (std::size_t axis = 0; axis < drawn_axes; ++axis) {
    const auto& all = features_of(static_cast<Axis>(axis));
    const auto is_allowed = [&](Feature feature) { return allowed[index_of(feature)]; };
    if (std::count_if(all.begin(), all.end(), is_allowed) > 1) continue;
    for (const Feature feature : all) choices.reset(index_of(feature));
  }
  for (std::size_t a = 0; a < feature_count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const auto first = static_cast<Feature>(b);
      const auto second = static_cast<Feature>(a);
      if (!choices[a] || !choices[b] || !is_drawn(second) || info(first).axis == info(second).axis)
        continue;
      generate::Random random{seed, static_cast<std::uint64_t>(epoch), a, b};
      candidates.emplace_back(earlier.count(first, second), random.next(), b, a);
    }
  }
  const auto wanted = static_cast<std::ptrdiff_t>(std::min(pair_aims, candidates.size()));
  std::partial_sort(candidates.begin(), candidates.begin() + wanted, candidates.end());
  for (auto candidate = candidates.begin(); candidate != candidates.begin() + wanted; ++candidate)
    aims.push_back({static_cast<Feature>(std::get<2>(*candidate)),
                    static_cast<Feature>(std::get<3>(*candidate))});
}

// The choice after which `seen` came most often, in cases of 2^20; `not_of` is an axis to pass by.
Feature best_choice(Feature seen, const FeatureSet& allowed, const Coverage& earlier,
                    std::optional<Axis> not_of) {
  Feature best = Feature::count;
  std::uint64_t best_share = 0;
  for (std::size_t index = 0; index < feature_count; ++index) {
    const auto choice = static_cast<Feature>(index);
    if (!allowed[index] || !is_drawn(choice) || info(choice).axis == not_of) continue;
    const auto both = static_cast<std::uint64_t>(earlier.count(choice, seen));
    const std::uint64_t share = (both << 20U) / (counted(earlier, choice) + 1);
    if (share > best_share) {
      best_share = share;
      best = choice;
    }
  }
  return best;
}

void add_seen_aims(const FeatureSet& allowed, const Coverage& earlier, std::vector<Aim>& aims) {
  std::vector<std::pair<std::int64_t, Feature>> rare;
  for (const Axis axis : {Axis::seen, Axis::decided}) {
    for (const Feature feature : features_of(axis)) {
      if (earlier.count(feature) != 0) rare.emplace_back(earlier.count(feature), feature);
    }
  }
  std::sort(rare.begin(), rare.end());
  rare.resize(std::min(rare.size(), seen_aims));
  for (const auto& [count, seen] : rare) {
    const Feature first = best_choice(seen, allowed, earlier, std::nullopt);
    if (first == Feature::count) continue;
    const Feature second = best_choice(seen, allowed, earlier, info(first).axis);
    // As many times as pairs are few: a quarter of the aims goes to what was seen rarely.
    if (second != Feature::count) aims.insert(aims.end(), 4, Aim{first, second});
  }
}

// Two choices of each of those cases, a few times: which of them led to the edge is not known.
void add_edge_aims(std::uint64_t seed, std::int64_t epoch, const FeatureSet& allowed,
                   std::span<const FeatureSet> cases, std::vector<Aim>& aims) {
  for (std::size_t at = 0; at < cases.size(); ++at) {
    std::vector<Feature> choices;
    for (std::size_t index = 0; index < feature_count; ++index) {
      const auto choice = static_cast<Feature>(index);
      if (cases[at][index] && allowed[index] && is_drawn(choice)) choices.push_back(choice);
    }
    generate::Random random{seed, static_cast<std::uint64_t>(epoch), feature_count, at};
    for (std::size_t aim = 0; aim < aims_of_an_edge && choices.size() > 1; ++aim) {
      const Feature first = choices[random.below(choices.size())];
      const Feature second = choices[random.below(choices.size())];
      if (info(first).axis != info(second).axis) aims.push_back({first, second});
    }
  }
}

}  // namespace

std::vector<CasePlace> rare_edge_cases(const Coverage& coverage) {
  std::vector<std::pair<std::int64_t, CasePlace>> edges;
  for (const auto& [edge, counted] : coverage.edges())
    edges.emplace_back(counted.count, counted.first);
  std::sort(edges.begin(), edges.end());
  std::vector<CasePlace> places;
  for (const auto& [count, place] : edges) {
    if (places.size() == edge_cases) break;
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  return places;
}

Weights make_weights(std::uint64_t seed, std::int64_t epoch, const FeatureSet& allowed,
                     const Coverage& earlier, std::span<const FeatureSet> reached_rare) {
  Weights weights;
  if (earlier.cases() == 0) {
    for (std::size_t index = 0; index < feature_count; ++index) {
      if (allowed[index]) weights.of[index] = feature_list()[index].weight * unit;
    }
    return weights;
  }
  for (std::size_t axis = 0; axis < drawn_axes; ++axis)
    weigh_axis(static_cast<Axis>(axis), allowed, earlier, weights);
  add_pair_aims(seed, epoch, allowed, earlier, weights.aims);
  add_seen_aims(allowed, earlier, weights.aims);
  add_edge_aims(seed, epoch, allowed, reached_rare, weights.aims);
  return weights;
}

Json to_json(const Weights& weights) {
  Json of = Json::object();
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (weights.of[index] != 0) of[std::string(feature_list()[index].id)] = weights.of[index];
  }
  Json aims = Json::array();
  for (const Aim& aim : weights.aims) aims.push_back({info(aim.first).id, info(aim.second).id});
  return {{"of", of}, {"aims", aims}};
}

Weights weights_from_json(const Json& json) {
  return read_json("weights", [&] {
    Weights weights;
    for (const auto& [id, weight] : json.at("of").items()) {
      const std::int64_t value = natural(weight);
      if (value > 0xFFFF'FFFF) refuse_json("a weight of 32 bits is needed, not", weight);
      weights.of[index_of(known_feature(id))] = static_cast<std::uint32_t>(value);
    }
    for (const Json& aim : json.at("aims")) {
      weights.aims.push_back({known_feature(aim.at(0).get<std::string>()),
                              known_feature(aim.at(1).get<std::string>())});
    }
    return weights;
  });
}

}  // namespace chainwalk::fuzz
