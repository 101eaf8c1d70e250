// SPDX-License-Identifier: Apache-2.0
// Scales of a tile's groups before its walk, for members whose walk sees a part of a row at a time:
// a warp reads each row as a whole once and leaves its scale in the output (QNT-2, QNT-3).
#pragma once

#include "primitives/thread.h"
#include "quantize.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

// amax of the whole row of `slot`, by a warp.
template <class M>
CW_DEVICE float whole_row_amax(const WalkParameters& p, std::uint32_t slot) {
  constexpr int vectors = 4;  // reads in flight of a lane
  using Lane = Columns<M::vector, vectors, true, false>;
  float amax = 0.0F;
  for (std::int32_t begin = 0; begin < p.head_dim; begin += 32 * M::vector * vectors) {
    const Lane columns =
        make_columns<Lane>(begin + lane_index() * M::vector, 32 * M::vector, p.head_dim);
    amax = max_number_rn(amax, amax_of<M>(load_bank_row<M>(p, columns, slot)));
  }
  return join_amax(amax, 32);
}

// Every `stride`-th valid group of the tile from `offset` on. A reader of another warp needs a
// block barrier, another lane a warp barrier.
template <class M>
CW_DEVICE void store_scales_before_walk(const WalkParameters& p, const Tile& tile, int offset,
                                        int stride) {
  std::int64_t row = tile.row;
  int turn = offset;
  for (std::int32_t at = tile.begin; at < tile.end; at += 32) {
    if (M::has(Fault::lane_leaves_vote) && at + lane_index() >= tile.end) break;
    const Words4 record = load_record(tile, at + lane_index());
    unsigned valid = ballot(full_warp, ends_valid_group(record.x));
    for (; valid != 0; valid &= valid - 1, ++row) {
      const std::uint32_t slot = shuffle(full_warp, record.y, lowest_bit(valid));
      if (turn-- != 0) continue;
      turn = stride - 1;
      const float scale = scale_of<M>(whole_row_amax<M>(p, slot));
      if (lane_index() == 0) store(p.scale + row, scale);
    }
  }
  sync_warp();
}

CW_NAMESPACE_END
