// SPDX-License-Identifier: Apache-2.0
// The parts of a chunk in the order in which they are drawn: groups, tiles, slots, records (REC,
// TIL).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chainwalk/generate/generate.h"
#include "chainwalk/generate/random.h"

namespace chainwalk::generate {

// A run of positions [begin, end) before it has slots and values.
struct DrawnGroup {
  std::int64_t begin;
  std::int64_t end;
  bool invalid;
};

// Which chunk of which problem: the key of its random words.
struct ChunkKey {
  std::uint64_t seed;
  std::uint64_t index;
  std::uint64_t chunk;

  Random random(Purpose purpose) const {
    return Random{seed, index, static_cast<std::uint64_t>(purpose), chunk};
  }
};

// Groups that cover positions 0..n-1.
std::vector<DrawnGroup> draw_groups(const Parameters& parameters, const ChunkKey& key);

// TIL-1: TU + 1 bounds, each the begin of a group or n. TIL-2's, or any others.
std::vector<std::int32_t> draw_tile_bounds(const Parameters& parameters, const ChunkKey& key,
                                           std::span<const DrawnGroup> groups);

// TIL-3: makes groups INVALID where the tiles of one block hold more valid ones than a cluster may.
void limit_valid_groups(const Parameters& parameters, std::span<const std::int32_t> bounds,
                        std::span<DrawnGroup> groups);

// REC-5: one slot for each valid group of a chunk, different ones, out of those that its stream
// owns; in the order of the groups. `slots` / num_parallel is at least the number of valid groups.
std::vector<std::uint32_t> draw_slots(const Parameters& parameters, const ChunkKey& key,
                                      std::int64_t slots, std::span<const DrawnGroup> groups);

// REC-1 to REC-6: `records` has n elements.
void draw_records(const Parameters& parameters, const ChunkKey& key, std::int64_t slots,
                  std::span<const DrawnGroup> groups, std::span<Record> records);

}  // namespace chainwalk::generate
