// SPDX-License-Identifier: Apache-2.0
// Bank rows that a warp has alone, fetched into shared memory while earlier positions are walked
// (SRC-1).
#pragma once

#include "bank_row.h"
#include "primitives/async_copy.h"
#include "primitives/block.h"
#include "primitives/thread.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

// A place a position, `rows_ahead` of them in turn. Each lane copies and reads its own bytes of a
// row, so that nothing but its own wait orders them.
template <class M, class Lane>
class RowRing {
 public:
  CW_DEVICE RowRing(const WalkParameters& p, const Lane& columns)
      : p_(p),
        first_(column_bytes<M>(columns.first[0])),
        places_(shared_memory() + warp_index() * (rows_ahead * row_bytes) + first_) {}

  // Starts the copy of the position `rows_ahead` after the one last taken.
  CW_DEVICE void start(const Words4& record) {
    if (ends_valid_group(record.x)) {
      const unsigned char* row = bank_row<M, Lane>(p_, record.y) + first_;
      CW_UNROLL
      for (int r = 0; r < Lane::vectors; ++r) async_copy_16(place(r), row + r * apart);
    }
    async_copy_commit();
    turn_ ^= row_bytes;
  }

  // The row of the next position; undefined where it does not end a valid group.
  CW_DEVICE BaseRow<M, Lane> take(bool ends) {
    if constexpr (M::lacks(Fault::no_row_wait)) async_copy_wait<rows_ahead - 1>();
    BaseRow<M, Lane> base;
    if (ends) {
      CW_UNROLL
      for (int r = 0; r < Lane::vectors; ++r) {
        base.part[r] = load_shared_elements<M::bank, Lane::vector>(place(r));
      }
    }
    return base;
  }

 private:
  static_assert(rows_ahead == 2, "places are taken in turn by one bit");
  static constexpr int row_bytes = Lane::row * bank_element_bytes(M::bank);
  static constexpr int vector_bytes = Packed<M::bank, Lane::vector>::bytes;
  static_assert(vector_bytes == 16, "a copy moves 16 bytes");
  static constexpr int apart = 32 * vector_bytes;  // bytes between two vectors of a lane

  CW_DEVICE unsigned char* place(int r) const { return places_ + turn_ + r * apart; }

  const WalkParameters& p_;
  std::int32_t first_;  // byte of the row where the lane's columns begin
  unsigned char* places_;
  int turn_ = 0;  // bytes to the place that is next to be taken, then filled
};

CW_NAMESPACE_END
