// SPDX-License-Identifier: Apache-2.0
// Tile sets: where groups begin, the standard cut, and ordinals at tile starts (TIL-1, TIL-2,
// TIL-4, SNP-1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chainwalk/spec/problem.h"
#include "chainwalk/spec/record.h"

namespace chainwalk {

// TIL-2: `tiles` + 1 bounds of a well-formed chunk (REC-6): bound t is the FIRST nearest to
// floor(t * n / tiles), ties to the earlier; n counts as a FIRST. tiles >= 1.
std::vector<std::int32_t> standard_tile_bounds(std::span<const Record> chunk, std::int64_t tiles);

// TIL-4: for each bound, the number of valid FIRSTs of the chunk before it. Bounds are in 0..n.
std::vector<std::int32_t> group_prefix_of(std::span<const Record> chunk,
                                          std::span<const std::int32_t> bounds);

// One group of a well-formed chunk: positions [begin, end), and its ordinal among valid groups
// (SNP-1's g; -1 for an INVALID group).
struct Group {
  std::int64_t begin;
  std::int64_t end;
  std::int64_t ordinal;
};
std::vector<Group> groups_of(std::span<const Record> chunk);

// The same problem under another tile set (TIL-5): standard bounds for K blocks of nw warps, or
// given ones ([N, K*nw + 1], not checked). New tensors are owned by the result.
Problem with_standard_tiles(const Problem& problem, std::int64_t warps_per_block,
                            std::int64_t blocks_per_chunk);
Problem with_tiles(const Problem& problem, std::int64_t warps_per_block,
                   std::int64_t blocks_per_chunk, std::vector<std::int32_t> tile_bounds);

}  // namespace chainwalk
