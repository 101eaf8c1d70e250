// SPDX-License-Identifier: Apache-2.0
// One warp's walk of its tile over one or two column slices: token rows in shared memory, records
// in batches of 32 (ARI, SNP, QNT, LCH-5).
#pragma once

#include "quantize.h"
#include "snapshot.h"
#include "tile.h"
#include "token_rows.h"

CW_NAMESPACE_BEGIN

// A lane's columns: 4 of each slice; of a scalar head 4 single ones of its slice.
template <class M>
using SlicesLane =
    Columns<M::vector, slices_per_warp(M::traits) * 4 / M::vector,
            M::traits.head != HeadSupport::regular_full, M::traits.head == HeadSupport::scalar>;

template <class M>
CW_DEVICE SlicesLane<M> slices_columns(const WalkParameters& p, std::int32_t first_slice) {
  using Lane = SlicesLane<M>;
  const std::int32_t begin = first_slice * p.slice_width + lane_index() * 4;
  if constexpr (M::traits.head == HeadSupport::scalar) {
    return make_columns<Lane>(begin, 1,
                              first_slice * p.slice_width + columns_of_slice(p, first_slice));
  } else {
    Lane columns = make_columns<Lane>(begin, p.slice_width, p.head_dim);
    // A lane past the slice's width has no column, although the row goes on.
    if (lane_index() * 4 >= p.slice_width) columns.present = 0;
    return columns;
  }
}

template <class M, class Base, class Scale>
struct SlicesWalk {
  using Lane = SlicesLane<M>;
  static constexpr int slices = slices_per_warp(M::traits);

  const WalkParameters& p;
  const Tile& tile;
  const Lane& columns;
  const unsigned char* tokens;  // shared: [slices][C][padded width] f32
  std::int64_t slice_bytes;
  Words4* records;  // shared: the warp's batch
  Base& base;
  const Scale& scale_of_row;  // (pre-write elements, row number) -> scale

  CW_DEVICE void run(Words4 next) {
    float acc[Lane::count] = {};
    std::int64_t row = tile.row;
    for (std::int32_t at = tile.begin; at < tile.end; at += 32) {
      const Words4 batch = next;
      // Every lane has left the records of the batch before.
      if constexpr (M::lacks(Fault::no_record_barrier)) sync_warp();
      store_shared(records + lane_index(), batch);
      if constexpr (M::lacks(Fault::no_record_publish)) sync_warp();
      next = load_record(tile, at + 32 + lane_index());
      const unsigned last = ballot(full_warp, ends_group(batch.x));
      const unsigned valid = ballot(full_warp, ends_valid_group(batch.x));
      base.start_batch(valid);
      const int count = tile.end - at < 32 ? tile.end - at : 32;
      for (int i = 0; i < count;) {
        const unsigned rest = last >> static_cast<unsigned>(i);
        const int run_end = rest != 0 ? i + lowest_bit(rest) + 1 : count;
        const int stop = run_end < count ? run_end : count;
        add_positions(i, stop, acc);
        i = stop;
        if (rest == 0) break;
        if ((valid >> static_cast<unsigned>(i - 1) & 1U) != 0) end_group(i - 1, acc, row++);
        CW_UNROLL
        for (int k = 0; k < Lane::count; ++k) acc[k] = 0.0F;
      }
    }
    base.finish();
  }

 private:
  // ARI-1 over positions [begin, end) of the batch.
  CW_DEVICE void add_positions(int begin, int end, float* acc) const {
    const std::int32_t width = padded_width(p.slice_width);
    const int column = columns.present != 0 ? lane_index() * 4 : 0;  // GEO-7
    for (int i = begin; i < end; ++i) {
      const Words4 record = load_shared(records + i);
      const int element = token_of(record.x, p.chunk_size) * width + column;
      CW_UNROLL
      for (int s = 0; s < slices; ++s) {
        const auto* row = reinterpret_cast<const float*>(tokens + s * slice_bytes);
        const auto token = load_shared_elements<BankType::f32, 4>(row + element);
        CW_UNROLL
        for (int v = 0; v < 4; ++v) {
          acc[s * 4 + v] = fma_rn(as_float(record.z), token.value(v), acc[s * 4 + v]);
        }
      }
    }
  }

  CW_DEVICE void end_group(int index, const float* acc, std::int64_t row) {
    const Words4 record = load_shared(records + index);
    auto before = base.next();
    update_bank_row<M>(p, columns, before, acc, record.y, as_float(record.w));
    if constexpr (M::has(Fault::base_after_store)) {
      before = load_bank_row<M>(p, columns, record.y);
    }
    if constexpr (M::quantized) {
      store_payload<M>(p, columns, before, scale_of_row(before, row), row);
    } else if constexpr (M::traits.snapshot != SnapshotForm::none) {
      store_snapshot_row<M>(p, columns, before, row);
    }
  }
};

CW_NAMESPACE_END
