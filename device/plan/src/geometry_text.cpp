// SPDX-License-Identifier: Apache-2.0
// Geometries as text.
#include "chainwalk/plan/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "arithmetic.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::plan {
namespace {

using device::BaseSource;

constexpr const char* fields =
    "kernel, warps, blocks, tile, slices, offsets, portable, quantizing, source and shared";
constexpr std::array sources{std::pair{"bank_direct", BaseSource::bank_direct},
                             std::pair{"dense_rows", BaseSource::dense_rows},
                             std::pair{"batch_prefetch", BaseSource::batch_prefetch}};

[[noreturn]] void refuse(const std::string& text) {
  throw InputError({"", std::nullopt, std::nullopt, "geometry: " + text});
}

// A number up to 2^31 - 1; which of them serve is the plan's to say.
template <typename T>
std::optional<T> number(std::string_view field, std::string_view value, std::int64_t least = 0) {
  std::int64_t parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error != std::errc() || end != value.data() + value.size() || parsed < least ||
      parsed > int32_greatest) {
    refuse(fmt::format("{} is '{}'; {}..{} is needed", field, value, least, int32_greatest));
  }
  return static_cast<T>(parsed);
}

void take(std::string_view field, std::string_view value, ForcedGeometry& geometry) {
  if (field == "kernel") {
    geometry.kernel = std::string(value);
  } else if (field == "source") {
    geometry.source = parse_base_source(value);
    if (!geometry.source) {
      refuse(fmt::format("source is '{}'; bank_direct, dense_rows or batch_prefetch is needed",
                         value));
    }
  } else if (field == "warps") {
    geometry.warps_per_block = number<std::int64_t>(field, value, 1);
  } else if (field == "blocks") {
    geometry.blocks_per_chunk = number<std::int64_t>(field, value, 1);
  } else if (field == "tile") {
    geometry.tile_positions = number<std::int64_t>(field, value, 1);
  } else if (field == "slices") {
    geometry.slices_per_warp = number<std::int32_t>(field, value);
  } else if (field == "offsets") {
    geometry.offset_bits = number<std::int32_t>(field, value);
  } else if (field == "portable") {
    geometry.portable = number<std::int32_t>(field, value);
  } else if (field == "quantizing") {
    geometry.quantizing_form = number<std::int32_t>(field, value);
  } else if (field == "shared") {
    geometry.shared_cap = number<std::int64_t>(field, value);
  } else {
    refuse(fmt::format("'{}' is no field; {} are", field, fields));
  }
}

}  // namespace

std::optional<BaseSource> parse_base_source(std::string_view text) {
  for (const auto& [name, source] : sources) {
    if (text == name) return source;
  }
  return std::nullopt;
}

ForcedGeometry parse_geometry(std::string_view text) {
  ForcedGeometry geometry;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find(':'));
    const std::size_t equals = field.find('=');
    if (equals == std::string_view::npos) {
      refuse(fmt::format("'{}' is not name=value; the names are {}", field, fields));
    }
    take(field.substr(0, equals), field.substr(equals + 1), geometry);
    text.remove_prefix(std::min(text.size(), field.size() + 1));
  }
  if (geometry.blocks_per_chunk && geometry.tile_positions) {
    refuse("blocks and tile are both given; either gives the other");
  }
  return geometry;
}

std::string to_string(const ForcedGeometry& geometry) {
  std::string text;
  const auto add = [&](const char* field, const auto& value) {
    if (value) text += fmt::format("{}{}={}", text.empty() ? "" : ":", field, *value);
  };
  add("kernel", geometry.kernel);
  add("warps", geometry.warps_per_block);
  add("blocks", geometry.blocks_per_chunk);
  add("tile", geometry.tile_positions);
  add("slices", geometry.slices_per_warp);
  add("offsets", geometry.offset_bits);
  add("portable", geometry.portable);
  add("quantizing", geometry.quantizing_form);
  for (const auto& [name, source] : sources) {
    if (geometry.source == source) add("source", std::optional(name));
  }
  add("shared", geometry.shared_cap);
  return text;
}

ForcedGeometry forced_by(const Tiling& tiling) {
  ForcedGeometry geometry;
  geometry.kernel = std::string(device::kernel_family[tiling.kernel].name);
  geometry.warps_per_block = tiling.warps_per_block;
  geometry.blocks_per_chunk = tiling.blocks_per_chunk;
  return geometry;
}

Cut cut_of(const ForcedGeometry& geometry, const ProblemShape& shape) {
  Cut cut{geometry.warps_per_block.value_or(shape.warps_per_block),
          geometry.blocks_per_chunk.value_or(shape.blocks_per_chunk)};
  if (geometry.tile_positions && cut.warps_per_block > 0) {
    cut.blocks_per_chunk = std::max<std::int64_t>(
        1, ceil_divide(shape.positions, *geometry.tile_positions * cut.warps_per_block));
  }
  return cut;
}

}  // namespace chainwalk::plan
