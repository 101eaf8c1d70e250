// SPDX-License-Identifier: Apache-2.0
// Scales of a block's groups by a cluster of blocks, a share of the columns each: amax of every
// group is written to shared memory and read by all peers (QNT-2, QNT-3, TIL-3, LCH-5).
#pragma once

#include "primitives/block.h"
#include "primitives/cluster.h"
#include "quantize.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

template <class M, class Lane>
struct ClusterScales {
  const WalkParameters& p;
  const Lane& columns;
  float* amax;               // [128 * nw], read by peers
  float* scales;             // [128 * nw]
  std::int32_t capacity;     // 128 * nw
  std::int32_t block_group;  // ordinal of the block's first group

  CW_DEVICE void make(const Tile& tile, bool stores) const {
    const std::int32_t first = tile.first_group - block_group;
    if (first < 0 || first + tile.groups > capacity) trap();
    share_amax(tile, first);
    if constexpr (M::lacks(Fault::no_cluster_barrier)) {
      cluster_arrive();
      cluster_wait();
    }
    for (std::int32_t group = lane_index(); group < tile.groups; group += 32) {
      float joined = 0.0F;
      for (int rank = 0; rank < cluster_blocks(); ++rank) {
        joined = max_number_rn(joined, load_peer(amax + first + group, rank));
      }
      const float scale = scale_of<M>(joined);
      store_shared(scales + first + group, scale);
      if (stores) store(p.scale + tile.row + group, scale);
    }
    sync_warp();
    // LCH-5: this block reads no peer any more; close() waits for the peers to say so.
    cluster_arrive();
  }
  CW_DEVICE void close() const {
    if constexpr (M::lacks(Fault::no_closing_cluster_wait)) cluster_wait();
  }
  CW_DEVICE float scale(const Tile& tile, std::int64_t row) const {
    return load_shared(scales + (tile.first_group - block_group) +
                       static_cast<std::int32_t>(row - tile.row));
  }

 private:
  CW_DEVICE void share_amax(const Tile& tile, std::int32_t group) const {
    const std::int32_t end = group + tile.groups;
    for (std::int32_t at = tile.begin; at < tile.end; at += 32) {
      const Words4 record = load_record(tile, at + lane_index());
      unsigned valid = ballot(full_warp, ends_valid_group(record.x));
      for (; valid != 0 && group < end; valid &= valid - 1, ++group) {
        const std::uint32_t slot = shuffle(full_warp, record.y, lowest_bit(valid));
        const float part = join_amax(amax_of<M>(load_bank_row<M>(p, columns, slot)), 32);
        if (lane_index() == 0) store_shared(amax + group, part);
      }
    }
  }
};

CW_NAMESPACE_END
