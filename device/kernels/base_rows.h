// SPDX-License-Identifier: Apache-2.0
// Where a sliced walk takes the pre-write rows of a batch's valid groups from: the bank itself, a
// few rows ahead of their use, or a batch of rows copied before its positions are walked (SRC-1,
// SRC-3). dense_rows.h has the third source.
#pragma once

#include "bank_row.h"
#include "primitives/async_copy.h"
#include "primitives/thread.h"
#include "primitives/warp.h"

CW_NAMESPACE_BEGIN

// The slot of position `index` of the batch of records in shared memory.
CW_DEVICE std::uint32_t slot_of(const Words4* records, int index) {
  return load_shared(reinterpret_cast<const std::uint32_t*>(records + index) + 1);
}

// SRC-1: reads from the bank, up to `depth` groups ahead, into registers.
template <class M, class Lane>
class DirectBase {
 public:
  CW_DEVICE DirectBase(const WalkParameters& p, const Lane& columns, const Words4* records)
      : p_(p), columns_(columns), records_(records) {}

  // `valid`: positions of the batch that end a valid group. Every lane of the warp calls.
  CW_DEVICE void start_batch(unsigned valid) {
    pending_ = valid;
    CW_UNROLL
    for (int d = 0; d < depth; ++d) ahead_[d] = take();
  }
  // Rows of valid groups, in order.
  CW_DEVICE BaseRow<M, Lane> next() {
    const BaseRow<M, Lane> base = ahead_[0];
    CW_UNROLL
    for (int d = 1; d < depth; ++d) ahead_[d - 1] = ahead_[d];
    ahead_[depth - 1] = take();
    return base;
  }
  CW_DEVICE void finish() {}

 private:
  static constexpr int depth = 4;

  CW_DEVICE BaseRow<M, Lane> take() {
    if (pending_ == 0) return BaseRow<M, Lane>{};
    const int position = lowest_bit(pending_);
    pending_ &= pending_ - 1;
    return load_bank_row<M>(p_, columns_, slot_of(records_, position));
  }

  const WalkParameters& p_;
  const Lane& columns_;
  const Words4* records_;
  unsigned pending_ = 0;
  BaseRow<M, Lane> ahead_[depth];
};

// SRC-3: the rows of a batch by 16-byte copies, two rows a pass, 16 lanes each.
template <class M, class Lane>
class BatchBase {
 public:
  CW_DEVICE BatchBase(const WalkParameters& p, const Lane& columns, const Words4* records,
                      unsigned char* shared, std::int64_t slice_bytes, std::int32_t first_column)
      : p_(p),
        columns_(columns),
        records_(records),
        shared_(shared),
        slice_bytes_(slice_bytes),
        first_column_(first_column) {}

  CW_DEVICE void start_batch(unsigned valid) {
    const int half = lane_index() >> 4;
    const int byte = (lane_index() & 15) * 16;
    const bool copies = byte < p_.slice_width * 2;
    for (int row = half; valid != 0; row += 2) {
      const unsigned rest = valid & (valid - 1);
      const unsigned mine = half == 0 ? valid : rest;
      if (copies && mine != 0) copy_row(row, slot_of(records_, lowest_bit(mine)), byte);
      valid = rest & (rest - 1);
    }
    async_copy_commit();
    async_copy_wait<0>();
    sync_warp();
    taken_ = 0;
  }
  CW_DEVICE BaseRow<M, Lane> next() {
    BaseRow<M, Lane> base{};
    CW_UNROLL
    for (int s = 0; s < Lane::vectors; ++s) {
      if (!columns_.has(s)) continue;
      base.part[s] = load_shared_elements<M::bank, Lane::vector>(
          place(s, taken_) + (columns_.first[s] - first_column_ - s * p_.slice_width) * 2);
    }
    ++taken_;
    return base;
  }
  CW_DEVICE void finish() {}

 private:
  CW_DEVICE unsigned char* place(int s, int row) const {
    return shared_ + s * slice_bytes_ + row * p_.slice_width * 2;
  }
  CW_DEVICE void copy_row(int row, std::uint32_t slot, int byte) const {
    const unsigned char* source = bank_row<M, Lane>(p_, slot) + first_column_ * 2 + byte;
    CW_UNROLL
    for (int s = 0; s < Lane::vectors; ++s) {
      async_copy_16(place(s, row) + byte, source + s * p_.slice_width * 2);
    }
  }

  const WalkParameters& p_;
  const Lane& columns_;
  const Words4* records_;
  unsigned char* shared_;
  std::int64_t slice_bytes_;
  std::int32_t first_column_;
  int taken_ = 0;
};

CW_NAMESPACE_END
