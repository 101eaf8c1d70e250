// SPDX-License-Identifier: Apache-2.0
// The token rows of a chunk's column slice in shared memory: by tensor or bulk copies and a
// transaction barrier, by 16-byte copies, or by plain loads (ARI-7, LCH-4, LCH-5, GEO-2).
#pragma once

#include "member.h"
#include "parameters.h"
#include "primitives/async_copy.h"
#include "primitives/block.h"
#include "primitives/bulk_copy.h"
#include "primitives/memory.h"
#include "primitives/thread.h"
#include "primitives/warp.h"
#include "tile.h"

CW_NAMESPACE_BEGIN

template <class M>
inline constexpr bool copies_in_bulk = M::async && M::traits.head != HeadSupport::scalar;

// Columns that slice `slice` has: the last one of a tail has fewer.
CW_DEVICE std::int32_t columns_of_slice(const WalkParameters& p, std::int32_t slice) {
  const std::int32_t left = p.head_dim - slice * p.slice_width;
  return left < p.slice_width ? left : p.slice_width;
}

template <class M>
struct TokenRows {
  static constexpr int slices = slices_per_warp(M::traits);

  const WalkParameters& p;
  unsigned char* shared;     // [slices][C][padded width] f32
  std::int64_t slice_bytes;  // between two slices
  Barrier* barrier;

  // Once a block, before the first copy; ends with a block barrier where copies are in bulk.
  CW_DEVICE void prepare() const {
    if constexpr (copies_in_bulk<M>) {
      if (thread_index() == 0) {
        barrier_init(barrier, 1);
        if constexpr (M::lacks(Fault::no_init_fence)) barrier_init_fence();
      }
      if constexpr (M::lacks(Fault::no_init_barrier)) sync_block();
    }
  }

  // Every thread calls; `first` is the first slice of the block's share.
  CW_DEVICE void start(std::int64_t stream, std::int32_t first) const {
    if constexpr (copies_in_bulk<M>) {
      if (thread_index() == 0) start_bulk(stream, first);
    } else if constexpr (M::traits.head == HeadSupport::scalar) {
      load_columns(stream, first);
    } else {
      start_pieces(stream, first);
    }
  }

  // Every thread calls, also of an empty tile: no copy outlives a block.
  CW_DEVICE void wait() const {
    if constexpr (copies_in_bulk<M>) {
      if constexpr (M::lacks(Fault::no_token_wait)) {
        barrier_wait(barrier, M::has(Fault::wrong_parity) ? 1 : 0);
      }
    } else {
      if constexpr (M::traits.head != HeadSupport::scalar && M::lacks(Fault::no_copy_wait)) {
        async_copy_wait<0>();
      }
      if constexpr (M::lacks(Fault::copies_taken_block_wide)) sync_block();
    }
  }

  // Between two shares of one block: nothing of the old rows is read after this, and the new ones
  // may be copied over them.
  CW_DEVICE void reuse() const {
    if constexpr (copies_in_bulk<M>) {
      if constexpr (M::lacks(Fault::no_proxy_fence_between_slices)) fence_proxy_async();
      if constexpr (M::lacks(Fault::no_barrier_between_slices)) sync_block();
      if (M::lacks(Fault::no_invalidate) && thread_index() == 0) barrier_invalidate(barrier);
      prepare();
    } else {
      if constexpr (M::lacks(Fault::no_barrier_between_slices)) sync_block();
    }
  }

 private:
  CW_DEVICE std::int64_t first_row(std::int64_t stream) const {
    return p.step * p.delta_v_step_rows + stream * p.chunk_size;
  }
  CW_DEVICE const float* global_row(std::int64_t stream, std::int32_t slice, int token) const {
    return p.delta_v + (first_row(stream) + token) * p.head_dim + slice * p.slice_width;
  }
  CW_DEVICE float* shared_row(int s, int token) const {
    return reinterpret_cast<float*>(shared + s * slice_bytes) + token * padded_width(p.slice_width);
  }

  CW_DEVICE void start_bulk(std::int64_t stream, std::int32_t first) const {
    const auto slice_copy = static_cast<std::uint32_t>(p.chunk_size * p.slice_width * 4);
    constexpr std::uint32_t wrong = M::has(Fault::expect_too_small)   ? ~15U
                                    : M::has(Fault::expect_too_large) ? 16U
                                                                      : 0U;
    barrier_arrive_expect(barrier, slice_copy * slices + wrong);
    if (p.slices == 1) {
      bulk_copy(shared, global_row(stream, 0, 0), slice_copy, barrier);
      return;
    }
    for (int s = 0; s < slices; ++s) {
      tensor_copy_2d(shared + s * slice_bytes, &p.token_map, (first + s) * p.slice_width,
                     static_cast<int>(first_row(stream)), barrier);
    }
  }

  // A warp a row, a lane a piece of 4 columns.
  CW_DEVICE void start_pieces(std::int64_t stream, std::int32_t first) const {
    const int column = lane_index() * 4;
    for (int s = 0; s < slices; ++s) {
      if (column >= columns_of_slice(p, first + s)) continue;
      for (int token = warp_index(); token < p.chunk_size; token += block_threads() / 32) {
        async_copy_16(shared_row(s, token) + column, global_row(stream, first + s, token) + column);
      }
    }
    async_copy_commit();
  }

  // SCALAR heads: element loads; a row's padding columns are zeros.
  CW_DEVICE void load_columns(std::int64_t stream, std::int32_t slice) const {
    const std::int32_t width = columns_of_slice(p, slice);
    for (int token = warp_index(); token < p.chunk_size; token += block_threads() / 32) {
      const float* row = global_row(stream, slice, token);
      for (int column = lane_index(); column < padded_width(width); column += 32) {
        store_shared(shared_row(0, token) + column,
                     column < width ? load_ordinary(row + column) : 0.0F);
      }
    }
  }
};

CW_NAMESPACE_END
