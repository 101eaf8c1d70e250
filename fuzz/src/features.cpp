// SPDX-License-Identifier: Apache-2.0
// The list of features.
#include "chainwalk/fuzz/features.h"

namespace chainwalk::fuzz {
namespace {

constexpr std::array<FeatureInfo, feature_count> list{{
#define CW_FEATURE(id, axis, weight, description) {#id, Axis::axis, weight, description},
#include "chainwalk/fuzz/features.def"
#undef CW_FEATURE
}};

constexpr std::array<std::string_view, axis_count> axis_names{
    "rows",  "head",   "positions", "steps", "streams", "extra",  "stride", "chunk",
    "token", "groups", "validity",  "flags", "tiles",   "warps",  "blocks", "slots",
    "chain", "decay",  "bank",      "fault", "seen",    "decided"};

}  // namespace

std::span<const FeatureInfo, feature_count> feature_list() noexcept { return list; }

std::optional<Feature> find_feature(std::string_view id) noexcept {
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (list[index].id == id) return static_cast<Feature>(index);
  }
  return std::nullopt;
}

std::string_view to_string(Axis axis) noexcept {
  return axis_names[static_cast<std::size_t>(axis)];
}

const std::vector<Feature>& features_of(Axis axis) {
  static const auto by_axis = [] {
    std::array<std::vector<Feature>, axis_count> lists;
    for (std::size_t index = 0; index < feature_count; ++index)
      lists[static_cast<std::size_t>(list[index].axis)].push_back(static_cast<Feature>(index));
    return lists;
  }();
  return by_axis[static_cast<std::size_t>(axis)];
}

}  // namespace chainwalk::fuzz
