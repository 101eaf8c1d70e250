// SPDX-License-Identifier: Apache-2.0
// Weights: how often the generators of an epoch draw each feature. A pure function of the seed, the
// epoch and the coverage of the epochs before it, in integers, so that it is the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "chainwalk/fuzz/coverage.h"
#include "chainwalk/fuzz/features.h"

namespace chainwalk::fuzz {

// Two features of different axes that one case shall have.
struct Aim {
  Feature first, second;
  friend bool operator==(const Aim&, const Aim&) = default;
};

struct Weights {
  std::array<std::uint32_t, feature_count> of{};  // 0: never drawn
  std::vector<Aim> aims;                          // a quarter of the cases takes one

  friend bool operator==(const Weights&, const Weights&) = default;
};

// `allowed`: what the campaign draws at all; at least one feature of every axis but `seen`.
// Epoch 0 (no coverage yet) takes the list's own weights. Later a feature is weighted by the square
// root of how much rarer it was than its axis' mean, within 1/8 and 8 times its own; the rarest
// pairs, and the choices after which a rare feature was seen most often, become aims. So do pairs
// of choices of the cases `reached_rare`, which were the first to run through a rare edge.
Weights make_weights(std::uint64_t seed, std::int64_t epoch, const FeatureSet& allowed,
                     const Coverage& earlier, std::span<const FeatureSet> reached_rare = {});

// First cases of the rarest edges, different ones, in a fixed order.
std::vector<CasePlace> rare_edge_cases(const Coverage& coverage);

// from_json throws chainwalk::InputError.
nlohmann::ordered_json to_json(const Weights& weights);
Weights weights_from_json(const nlohmann::ordered_json& json);

}  // namespace chainwalk::fuzz
