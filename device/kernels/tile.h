// SPDX-License-Identifier: Apache-2.0
// A tile of a chunk: its positions, the row of its first ordinal, and its records in batches
// (REC-1 to REC-4, TIL-1, TIL-4, SNP-1, ARI-7).
#pragma once

#include "member.h"
#include "parameters.h"
#include "primitives/memory.h"

CW_NAMESPACE_BEGIN

struct Tile {
  const Words4* records;     // of the chunk
  const float* token_rows;   // of the chunk: [C, hd]
  std::int64_t row;          // snapshot row of the tile's first group
  std::int32_t begin, end;   // positions
  std::int32_t first_group;  // ordinal of the tile's first group
  std::int32_t groups;       // valid groups of the tile
};

template <class M>
inline constexpr bool numbers_rows =
    M::traits.snapshot != SnapshotForm::none || M::traits.source == BaseSource::dense_rows;

// Tile `index` of the chunk of `stream`; an empty one where `exists` is false. Reads only what was
// written two launches back (LCH-2).
template <class M>
CW_DEVICE Tile load_tile(const WalkParameters& p, std::int64_t stream, std::int32_t index,
                         bool exists) {
  const std::int64_t chunk = std::int64_t{p.step} * p.num_parallel + stream;
  std::int64_t entry = chunk * (std::int64_t{p.tiles_per_chunk} + 1) + index;
  if constexpr (M::has(Fault::overlapping_tiles)) entry -= index > 0 ? 1 : 0;
  Tile tile{};
  tile.records = reinterpret_cast<const Words4*>(p.records) + chunk * p.positions;
  tile.token_rows = p.delta_v + (p.step * p.delta_v_step_rows + stream * p.chunk_size) * p.head_dim;
  tile.begin = exists ? load_cached(p.tile_bounds + entry) : 0;
  tile.end = exists ? load_cached(p.tile_bounds + entry + 1) : 0;
  if constexpr (numbers_rows<M>) {
    tile.first_group = exists ? load_cached(p.group_prefix + entry) : 0;
    tile.groups = exists ? load_cached(p.group_prefix + entry + 1) - tile.first_group : 0;
    tile.row = (std::int64_t{p.step} * p.snapshot_step + stream) * p.positions + tile.first_group;
    if constexpr (M::has(Fault::ordinal_off_by_one)) tile.row += 1;
  }
  return tile;
}

// The record at `position`, or padding at and past the end (REC-4).
CW_DEVICE Words4 load_record(const Tile& tile, std::int32_t position) {
  if (position < tile.end) return load_cached(tile.records + position);
  return Words4{padding_record.x, padding_record.slot, padding_record.scale, padding_record.decay};
}

CW_DEVICE bool ends_group(std::uint32_t x) { return (x & record_last) != 0; }
CW_DEVICE bool ends_valid_group(std::uint32_t x) {
  return (x & (record_last | record_invalid)) == record_last;
}
// REC-3.
CW_DEVICE std::int32_t token_of(std::uint32_t x, std::int32_t chunk_size) {
  const auto token = static_cast<std::int32_t>((x >> record_token_shift) & record_token_mask);
  return token < chunk_size ? token : chunk_size - 1;
}

CW_NAMESPACE_END
