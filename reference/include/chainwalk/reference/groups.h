// SPDX-License-Identifier: Apache-2.0
// From the records of a tile to its groups: where a chain begins, what a LAST ends, how ordinals
// count (REC-5, REC-6, ARI-4, ARI-5, TIL-1, TIL-4, SNP-1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chainwalk/reference/rules.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Chunk step * P + stream of a problem. Refers to the problem.
struct ChunkView {
  ChunkView(const Problem& of, std::int64_t step_, std::int64_t stream_)
      : problem(of),
        step(step_),
        stream(stream_),
        records(of.chunk_records(of.shape.chunk(step_, stream_))),
        tile_bounds(of.chunk_tile_bounds(of.shape.chunk(step_, stream_))),
        group_prefix(of.chunk_group_prefix(of.shape.chunk(step_, stream_))) {}

  const Problem& problem;
  std::int64_t step;
  std::int64_t stream;
  std::span<const Record> records;
  std::span<const std::int32_t> tile_bounds;
  std::span<const std::int32_t> group_prefix;
};

// The members of one chain, the LAST record at their end.
struct GroupView {
  std::int64_t tile;
  std::int64_t begin;    // position of the first member
  std::int64_t ordinal;  // SNP-1; means nothing where `stores` is false
  bool stores;           // ARI-4
  std::span<const Record> members;
};

// Calls `visit(group)` for every group of a tile, in order. LAST and INVALID are read, FIRST is
// not (REC-6).
template <typename Rules, typename Visit>
void for_each_group(const Rules& rules, const ChunkView& chunk, std::int64_t tile,
                    const Visit& visit) {
  const std::int64_t tile_begin = chunk.tile_bounds[static_cast<std::size_t>(tile)];
  const std::int64_t tile_end = chunk.tile_bounds[static_cast<std::size_t>(tile) + 1];
  std::int64_t ordinal =
      rules.first_ordinal(chunk.group_prefix[static_cast<std::size_t>(tile)]);  // TIL-4
  std::int64_t begin = tile_begin;  // every tile starts a chain of its own
  const auto group_to = [&](std::int64_t end, bool stores) {
    return GroupView{tile, begin, ordinal, stores,
                     chunk.records.subspan(static_cast<std::size_t>(begin),
                                           static_cast<std::size_t>(end - begin))};
  };
  for (std::int64_t position = tile_begin; position < tile_end; ++position) {
    const Record& record = chunk.records[static_cast<std::size_t>(position)];
    if (!is_last(record)) continue;
    const bool stores = rules.stores(record);
    visit(group_to(position + 1, stores));
    if (stores) ordinal = rules.next_ordinal(ordinal);       // SNP-1
    if (rules.restarts_after(record)) begin = position + 1;  // ARI-4
  }
  if (begin < tile_end && rules.stores_open_end()) visit(group_to(tile_end, true));  // ARI-5
}

}  // namespace chainwalk::reference
