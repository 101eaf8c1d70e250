// SPDX-License-Identifier: Apache-2.0
// Pre-write rows that another kernel left in the snapshot, streamed through a warp's ring of units
// of 8 rows by tensor or bulk copies (SRC-2).
#pragma once

#include "bank_row.h"
#include "primitives/bulk_copy.h"
#include "primitives/thread.h"
#include "primitives/warp.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

// One barrier of one arrival a place of the ring; the block has initialized and fenced them.
template <class M, class Lane>
class DenseBase {
 public:
  CW_DEVICE DenseBase(const WalkParameters& p, const Lane& columns, const Tile& tile,
                      unsigned char* shared, std::int64_t unit_bytes, Barrier* barriers,
                      std::int32_t first_column)
      : p_(p),
        columns_(columns),
        tile_(tile),
        shared_(shared),
        unit_bytes_(unit_bytes),
        barriers_(barriers),
        first_column_(first_column),
        units_(tile.groups > 0 ? (tile.groups + ring_unit_rows - 1) / ring_unit_rows : 0) {
    for (int unit = 0; unit < ring_places && unit < units_; ++unit) copy_unit(unit);
  }

  CW_DEVICE void start_batch(unsigned /*valid*/) {}

  // Rows of valid groups, in order, over every batch of the tile.
  CW_DEVICE BaseRow<M, Lane> next() {
    if (taken_ % ring_unit_rows == 0) enter(taken_ / ring_unit_rows);
    BaseRow<M, Lane> base{};
    const int unit = taken_ / ring_unit_rows;
    if (unit >= units_) return base;  // flags that are not well-formed: rows are undefined
    const int row = taken_ % ring_unit_rows;
    CW_UNROLL
    for (int s = 0; s < Lane::vectors; ++s) {
      if (!columns_.has(s)) continue;
      const std::int32_t column = columns_.first[s] - first_column_ - s * p_.slice_width;
      base.part[s] = load_shared_elements<M::bank, Lane::vector>(
          place(unit, s) + (row * p_.slice_width + column) * 2);
    }
    ++taken_;
    return base;
  }

  // No copy outlives the walk: units copied ahead that flags which are not well-formed leave
  // unread.
  CW_DEVICE void finish() {
    const int copied = (entered_ > 0 ? entered_ : 0) + ring_places;
    for (int unit = entered_ + 1; unit < units_ && unit < copied; ++unit) await(unit);
  }

 private:
  CW_DEVICE unsigned char* place(int unit, int s) const {
    return shared_ + (unit % ring_places * Lane::vectors + s) * unit_bytes_;
  }
  CW_DEVICE void await(int unit) const {
    barrier_wait(barriers_ + unit % ring_places, unit / ring_places & 1);
  }

  // Refills the place that the walk has just left, then waits for the unit's own copy.
  CW_DEVICE void enter(int unit) {
    if (unit >= units_) return;
    if (unit > 0 && unit - 1 + ring_places < units_) {
      if constexpr (M::lacks(Fault::no_proxy_fence_in_ring)) fence_proxy_async();
      if constexpr (M::lacks(Fault::no_warp_barrier_in_ring)) sync_warp();
      copy_unit(unit - 1 + ring_places);
    }
    await(unit);
    entered_ = unit;
  }

  CW_DEVICE void copy_unit(int unit) const {
    if (lane_index() != 0) return;
    const int left = tile_.groups - unit * ring_unit_rows;
    const int rows = left < ring_unit_rows ? left : ring_unit_rows;
    const std::int64_t row = tile_.row + unit * ring_unit_rows;
    const auto row_bytes = static_cast<std::uint32_t>(p_.slice_width * 2);
    Barrier* barrier = barriers_ + unit % ring_places;
    barrier_arrive_expect(barrier, row_bytes * static_cast<std::uint32_t>(rows * Lane::vectors));
    for (int s = 0; s < Lane::vectors; ++s) {
      const std::int32_t column = first_column_ + s * p_.slice_width;
      const auto* source =
          static_cast<const unsigned char*>(p_.snapshot) + (row * p_.head_dim + column) * 2;
      if (p_.slices == 1) {
        bulk_copy(place(unit, s), source, row_bytes * static_cast<std::uint32_t>(rows), barrier);
      } else if (rows == ring_unit_rows) {
        tensor_copy_2d(place(unit, s), &p_.row_map, column, static_cast<int>(row), barrier);
      } else {
        for (int r = 0; r < rows; ++r) {
          bulk_copy(place(unit, s) + static_cast<std::uint32_t>(r) * row_bytes,
                    source + std::int64_t{r} * p_.head_dim * 2, row_bytes, barrier);
        }
      }
    }
  }

  const WalkParameters& p_;
  const Lane& columns_;
  const Tile& tile_;
  unsigned char* shared_;
  std::int64_t unit_bytes_;
  Barrier* barriers_;
  std::int32_t first_column_;
  int units_;
  int taken_ = 0;
  int entered_ = -1;
};

CW_NAMESPACE_END
