// SPDX-License-Identifier: Apache-2.0
// From a draw to the sizes and the structure of a problem: groups, tiles, slots, tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/generate/random.h"
#include "draw.h"

namespace chainwalk::fuzz {

// A run of positions of a chunk.
struct Run {
  std::int64_t begin, end;
  bool invalid;
};

// What the words of a case's key are for.
enum class Use : std::uint64_t { sizes, groups, tiles, slots, records, bank, delta_v, faults };
inline generate::Random words_of(const Draw& draw, Use use, std::uint64_t which = 0) {
  return generate::Random{draw.key, static_cast<std::uint64_t>(use), which};
}

// Sizes by the draw's choices, made smaller where the campaign's limits ask; slots are 0 still.
ProblemShape draw_shape(const Campaign& campaign, const Draw& draw);

// Groups that cover positions 0..n-1 of one chunk.
std::vector<Run> draw_runs(const Draw& draw, std::int64_t chunk, std::int64_t positions);

// TIL-1: tiles + 1 bounds, each the begin of a run or n.
std::vector<std::int32_t> draw_bounds(const Draw& draw, std::int64_t chunk, std::int64_t tiles,
                                      std::int64_t positions, std::span<const Run> runs);

// TIL-3: makes runs INVALID where the tiles of one block hold more valid ones than a cluster may.
void limit_valid_runs(const ProblemShape& shape, std::span<const std::int32_t> bounds,
                      std::span<Run> runs);

// REC-5: rows of stream `stream`, which owns `share` rows from stream * share on: one for each
// valid run, all different.
std::vector<std::uint32_t> draw_slots(const Draw& draw, const ProblemShape& shape,
                                      std::int64_t chunk, std::int64_t share,
                                      std::span<const Run> runs);

}  // namespace chainwalk::fuzz
