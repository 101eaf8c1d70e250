// SPDX-License-Identifier: Apache-2.0
// A geometry as text, so that what one command prints another can force (GEO-4, GEO-8): fields
// "name=value" with colons between, "kernel=rows_bf16_none_c32:warps=8:blocks=64".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chainwalk/plan/tiling.h"

namespace chainwalk::plan {

// What is forced. Values are as they were written: whether they can serve a problem, the plan says.
struct ForcedGeometry {
  std::optional<std::string> kernel;             // kernel=NAME
  std::optional<device::BaseSource> source;      // source=bank_direct|dense_rows|batch_prefetch
  std::optional<std::int64_t> warps_per_block;   // warps=4|8|16
  std::optional<std::int64_t> blocks_per_chunk;  // blocks=K >= 1
  std::optional<std::int64_t> tile_positions;    // tile=N >= 1, in place of blocks
  std::optional<std::int32_t> slices_per_warp;   // slices=1|2
  std::optional<std::int32_t> offset_bits;       // offsets=32|64
  std::optional<std::int32_t> portable;          // portable=0|1
  std::optional<std::int32_t> quantizing_form;   // quantizing=1 in the walk or by a cluster, 2 a
                                                 // block walks all slices, 3 whole rows
  std::optional<std::int64_t> shared_cap;        // shared=BYTES

  // Whether the tiles of a problem are to be cut anew.
  bool cuts_tiles() const { return warps_per_block || blocks_per_chunk || tile_positions; }
  friend bool operator==(const ForcedGeometry&, const ForcedGeometry&) = default;
};

// Throws InputError that names the field and the value.
ForcedGeometry parse_geometry(std::string_view text);
std::string to_string(const ForcedGeometry& geometry);  // parse_geometry() takes it back
// The source's name, nullopt for a text that is none.
std::optional<device::BaseSource> parse_base_source(std::string_view text);

// What forces a choice of the planner again.
ForcedGeometry forced_by(const Tiling& tiling);

// nw and K of a problem under a forced geometry: what it leaves open stays the shape's, and a
// length of tiles gives as many blocks as it takes.
struct Cut {
  std::int64_t warps_per_block = 0;
  std::int64_t blocks_per_chunk = 0;
};
Cut cut_of(const ForcedGeometry& geometry, const ProblemShape& shape);

}  // namespace chainwalk::plan
