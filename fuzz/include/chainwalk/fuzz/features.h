// SPDX-License-Identifier: Apache-2.0
// The documented list of problem features (features.def): what coverage counts and the generators
// draw from.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::fuzz {

// Every feature but those of `seen` and `decided` is one of the choices of its axis.
enum class Axis : std::uint8_t {
  rows,
  head,
  positions,
  steps,
  streams,
  extra,
  stride,
  chunk,
  token,
  groups,
  validity,
  flags,
  tiles,
  warps,
  blocks,
  slots,
  chain,
  decay,
  bank,
  fault,
  seen,
  decided
};
inline constexpr std::size_t drawn_axes = static_cast<std::size_t>(Axis::seen);
inline constexpr std::size_t axis_count = static_cast<std::size_t>(Axis::decided) + 1;

enum class Feature : std::uint16_t {
#define CW_FEATURE(id, axis, weight, description) id,
#include "chainwalk/fuzz/features.def"
#undef CW_FEATURE
  count
};
inline constexpr std::size_t feature_count = static_cast<std::size_t>(Feature::count);
constexpr std::size_t index_of(Feature feature) { return static_cast<std::size_t>(feature); }

struct FeatureInfo {
  std::string_view id;  // "head_over_slice"; stable
  Axis axis;
  std::uint32_t weight;
  std::string_view description;
};
std::span<const FeatureInfo, feature_count> feature_list() noexcept;
inline const FeatureInfo& info(Feature feature) { return feature_list()[index_of(feature)]; }
// Whether the generators choose it.
inline bool is_drawn(Feature feature) {
  return static_cast<std::size_t>(info(feature).axis) < drawn_axes;
}
std::optional<Feature> find_feature(std::string_view id) noexcept;
std::string_view to_string(Axis axis) noexcept;
// The choices of an axis, in the order of the list.
const std::vector<Feature>& features_of(Axis axis);

using FeatureSet = std::bitset<feature_count>;

// What can be noticed of a problem: its sizes, flags, tiles and tokens, and what happens while the
// walk is carried out by the reference's rules, column by column. How its values were chosen
// (chain_*, decay_*, bank_*, slots_*, tiles_*, token_*, groups_*) is known to whoever drew it and
// is not added here. `problem` has passed validate(), flags that are not well-formed excepted.
FeatureSet noticed_features(const Problem& problem);

}  // namespace chainwalk::fuzz
