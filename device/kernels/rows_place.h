// SPDX-License-Identifier: Apache-2.0
// Where a thread of the rows form stands: its tile, and its lanes and columns of the row (GEO-3).
#pragma once

#include "columns.h"
#include "primitives/thread.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

template <class M>
using RowsLane = Columns<M::vector, M::traits.columns_per_lane / M::vector, true, false>;
// Of rows that fill their lanes: nothing to mask, and every address is one and a constant.
template <class M>
using FullRowsLane = Columns<M::vector, M::traits.columns_per_lane / M::vector, false, false>;

// Of rows that one warp has alone: their width is known as well.
template <class M>
using OwnRowLane = Columns<M::vector, M::traits.columns_per_lane / M::vector, false, false,
                           32 * M::traits.columns_per_lane>;

struct RowsPlace {
  RowsShape shape;
  std::int64_t stream;
  std::int32_t tile;  // of the stream's chunk
  std::int32_t part;  // of the row, in the first pass
  std::int32_t lane;  // of the row's lanes
  bool exists;        // false: past the last tile
};

template <class M>
CW_DEVICE RowsPlace rows_place(const WalkParameters& p, const RowsShape& shape) {
  RowsPlace place;
  place.shape = shape;
  place.lane = lane_index() & (place.shape.lanes - 1);
  std::int64_t unit = block_index();  // a tile, or a part of one
  if (M::quantized && place.shape.team > 1) {
    place.part = warp_index();
  } else {
    unit = (unit * block_threads() + thread_index()) >> place.shape.lanes_log2;
    place.part = 0;
    if (place.shape.parts > 1) {
      place.part = static_cast<std::int32_t>(unit % place.shape.parts);
      unit /= place.shape.parts;
    }
  }
  place.stream = unit / p.tiles_per_chunk;
  place.tile = static_cast<std::int32_t>(unit - place.stream * p.tiles_per_chunk);
  place.exists = place.stream < p.num_parallel;
  return place;
}

// Vectors of a warp lie side by side, so that each access of the warp is one run of bytes.
template <class M, class Lane>
CW_DEVICE Lane rows_columns(const WalkParameters& p, const RowsPlace& place, int pass) {
  const std::int32_t part = place.part + pass * place.shape.team;
  const std::int32_t lanes = Lane::masked ? place.shape.lanes : 32;
  return make_columns<Lane>(part * lanes * M::traits.columns_per_lane + place.lane * M::vector,
                            lanes * M::vector, p.head_dim);
}

CW_NAMESPACE_END
