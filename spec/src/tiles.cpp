// SPDX-License-Identifier: Apache-2.0
// Groups, tile sets and group prefixes of a chunk (TIL-1, TIL-2, TIL-4, SNP-1).
#include "chainwalk/spec/tiles.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace chainwalk {
namespace {

// Tensors that a derived problem owns besides those of the problem that it came from.
struct DerivedTiles {
  std::shared_ptr<const void> origin;
  std::vector<std::int32_t> bounds;
  std::vector<std::int32_t> prefix;
};

}  // namespace

std::vector<std::int32_t> standard_tile_bounds(std::span<const Record> chunk, std::int64_t tiles) {
  const auto n = static_cast<std::int64_t>(chunk.size());
  std::vector<std::int32_t> firsts;
  for (std::int64_t position = 0; position < n; ++position) {
    if (is_first(chunk[static_cast<std::size_t>(position)])) {
      firsts.push_back(static_cast<std::int32_t>(position));
    }
  }
  firsts.push_back(static_cast<std::int32_t>(n));
  std::vector<std::int32_t> bounds;
  bounds.reserve(static_cast<std::size_t>(tiles + 1));
  for (std::int64_t tile = 0; tile <= tiles; ++tile) {
    const std::int64_t target = tile * n / tiles;
    const auto after = std::lower_bound(firsts.begin(), firsts.end(), target);
    std::int64_t nearest = *after;
    if (after != firsts.begin() && target - *std::prev(after) <= nearest - target) {
      nearest = *std::prev(after);
    }
    bounds.push_back(static_cast<std::int32_t>(nearest));
  }
  return bounds;
}

std::vector<std::int32_t> group_prefix_of(std::span<const Record> chunk,
                                          std::span<const std::int32_t> bounds) {
  std::vector<std::int32_t> prefix;
  prefix.reserve(bounds.size());
  std::int32_t valid = 0;
  std::int32_t position = 0;
  for (const std::int32_t bound : bounds) {
    for (; position < bound; ++position) {
      const Record& record = chunk[static_cast<std::size_t>(position)];
      if (is_first(record) && !is_invalid(record)) ++valid;
    }
    prefix.push_back(valid);
  }
  return prefix;
}

std::vector<Group> groups_of(std::span<const Record> chunk) {
  std::vector<Group> groups;
  std::int64_t begin = 0;
  std::int64_t ordinal = 0;
  for (std::int64_t position = 0; position < static_cast<std::int64_t>(chunk.size()); ++position) {
    const Record& record = chunk[static_cast<std::size_t>(position)];
    if (!is_last(record)) continue;
    groups.push_back({begin, position + 1, is_invalid(record) ? -1 : ordinal++});
    begin = position + 1;
  }
  return groups;
}

Problem with_tiles(const Problem& problem, std::int64_t warps_per_block,
                   std::int64_t blocks_per_chunk, std::vector<std::int32_t> tile_bounds) {
  auto tiles = std::make_shared<DerivedTiles>();
  tiles->origin = problem.storage;
  tiles->bounds = std::move(tile_bounds);
  Problem derived = problem;
  derived.shape.warps_per_block = warps_per_block;
  derived.shape.blocks_per_chunk = blocks_per_chunk;
  derived.tile_bounds = tiles->bounds;
  tiles->prefix.reserve(tiles->bounds.size());
  for (std::int64_t chunk = 0; chunk < problem.shape.num_chunks; ++chunk) {
    const auto prefix =
        group_prefix_of(problem.chunk_records(chunk), derived.chunk_tile_bounds(chunk));
    tiles->prefix.insert(tiles->prefix.end(), prefix.begin(), prefix.end());
  }
  derived.group_prefix = tiles->prefix;
  derived.storage = std::move(tiles);
  return derived;
}

Problem with_standard_tiles(const Problem& problem, std::int64_t warps_per_block,
                            std::int64_t blocks_per_chunk) {
  std::vector<std::int32_t> bounds;
  for (std::int64_t chunk = 0; chunk < problem.shape.num_chunks; ++chunk) {
    const auto one =
        standard_tile_bounds(problem.chunk_records(chunk), warps_per_block * blocks_per_chunk);
    bounds.insert(bounds.end(), one.begin(), one.end());
  }
  return with_tiles(problem, warps_per_block, blocks_per_chunk, std::move(bounds));
}

}  // namespace chainwalk
