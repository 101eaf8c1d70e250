// SPDX-License-Identifier: Apache-2.0
// The walk of whole rows: a warp, a share of one, or a few warps keep every column of a group in
// registers, read token rows through the caches, and read each bank row once for the walk and for
// its snapshot row (ARI, SNP, QNT-10, SRC-1, LCH-2).
#pragma once

#include "prescale.h"
#include "primitives/block.h"
#include "primitives/dependent_launch.h"
#include "rows_place.h"
#include "snapshot.h"

CW_NAMESPACE_BEGIN

// acc = fma(scale, token row, acc) over the lane's columns (ARI-1).
template <class Lane>
CW_DEVICE void add_token_row(const Lane& columns, const float* row, float scale, float* acc) {
  constexpr int V = Lane::vector;
  constexpr int piece = V < 4 ? V : 4;  // columns of one access
  using Piece = Packed<BankType::f32, piece>;
  using Move = Access<Piece::bytes>;
  Piece token[Lane::vectors * V / piece] = {};
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    if (!columns.has(r)) continue;
    CW_UNROLL
    for (int i = 0; i < V / piece; ++i) {
      const float* address = row + columns.first[r] + i * piece;
      Move::split(load_ordinary(reinterpret_cast<const typename Move::Word*>(address)),
                  token[r * (V / piece) + i].word);
    }
  }
  CW_UNROLL
  for (int k = 0; k < Lane::count; ++k) {
    acc[k] = fma_rn(scale, token[k / piece].value(k % piece), acc[k]);
  }
}

template <class M>
struct RowsWalk {
  using Lane = RowsLane<M>;
  using Base = BaseRow<M, Lane>;

  const WalkParameters& p;
  const RowsPlace& place;
  const Tile& tile;
  Lane columns;
  std::int32_t part;

  // The row of the next valid group of a batch, which leaves `pending`, for the lanes that `want`
  // it. Every lane of the warp calls: tiles of one warp end their groups at different positions,
  // and no lane votes or shuffles with a part of its warp.
  CW_DEVICE void take(bool want, unsigned& pending, const Words4& batch, Base& base) const {
    const bool takes = want && pending != 0;
    const int position = takes ? lowest_bit(pending) : 0;
    const std::uint32_t slot = shuffle(full_warp, batch.y, place.shift + position);
    if (!takes) return;
    pending &= pending - 1;
    base = load_bank_row<M>(p, columns, slot);
  }

  // QNT-2 over every warp of the row's team; two places in turn, so that one barrier a group is
  // enough.
  CW_DEVICE float team_amax(float amax, std::int64_t row) const {
    amax = join_amax(amax, place.shape.lanes);
    if (place.shape.team == 1) return amax;
    auto* joined = reinterpret_cast<float*>(shared_memory()) +
                   (M::has(Fault::stale_amax) ? 0 : (row & 1) * rows_team_limit);
    if (place.lane == 0) store_shared(joined + warp_index(), amax);
    if constexpr (M::lacks(Fault::no_slice_barrier_in_team)) sync_block();
    for (int warp = 0; warp < place.shape.team; ++warp) {
      amax = max_number_rn(amax, load_shared(joined + warp));
    }
    return amax;
  }

  CW_DEVICE void store_row(const Lane& stored, const Base& base, std::int64_t row) const {
    if constexpr (M::quantized) {
      const bool stores = stored.present != 0;
      float scale;
      if (place.shape.passes > 1) {
        scale = load_coherent(p.scale + row);
      } else {
        scale = scale_of<M>(team_amax(amax_of<M>(base), row));
        if (stores && place.lane == 0 && part == 0) store(p.scale + row, scale);
      }
      store_payload<M>(p, stored, base, scale, row);
    } else if constexpr (M::traits.snapshot != SnapshotForm::none) {
      store_snapshot_row<M>(p, stored, base, row);
    }
  }

  // Every lane of the warp calls; those whose group ends at position `source` of the batch store.
  CW_DEVICE void end_group(bool ends, Base& base, const float* acc, const Words4& batch, int source,
                           std::int64_t row) const {
    const std::uint32_t slot = shuffle(full_warp, batch.y, source);
    const float decay = as_float(shuffle(full_warp, batch.w, source));
    Lane stored = columns;
    if (!ends) stored.present = 0;
    update_bank_row<M>(p, stored, base, acc, slot, decay);
    if constexpr (M::has(Fault::base_after_store)) base = load_bank_row<M>(p, stored, slot);
    store_row(stored, base, row);
  }

  // Positions that the longest tile of the warp still has in this batch.
  CW_DEVICE int batch_steps(unsigned there) const {
    for (unsigned lanes = 16; lanes >= static_cast<unsigned>(place.shape.lanes); lanes /= 2) {
      there |= there >> lanes;
    }
    return popcount(there & (full_warp >> static_cast<unsigned>(32 - place.shape.lanes)));
  }

  CW_DEVICE void run(Words4 next) const {
    float acc[Lane::count] = {};
    std::int64_t row = tile.row;
    for (std::int32_t at = tile.begin;; at += place.shape.lanes) {
      const Words4 batch = next;
      if (M::has(Fault::lane_leaves_vote) && at + place.lane >= tile.end) break;
      const unsigned there = ballot(full_warp, at + place.lane < tile.end);
      if (there == 0) break;
      next = load_record(tile, at + place.shape.lanes + place.lane);
      unsigned pending = ballot(full_warp, ends_valid_group(batch.x)) & place.mask;
      pending >>= static_cast<unsigned>(place.shift);
      Base base{};
      Base ahead{};
      take(true, pending, batch, base);
      take(true, pending, batch, ahead);
      const int steps = batch_steps(there);
      for (int i = 0; i < steps; ++i) {
        const int source = place.shift + i;
        const std::uint32_t x = shuffle(full_warp, batch.x, source);
        const float scale = as_float(shuffle(full_warp, batch.z, source));
        const bool inside = at + i < tile.end;
        if (inside) {
          add_token_row(columns,
                        tile.token_rows + std::int64_t{token_of(x, p.chunk_size)} * p.head_dim,
                        scale, acc);
        }
        const bool ends = inside && ends_valid_group(x);
        if (ballot(full_warp, ends) != 0) {
          end_group(ends, base, acc, batch, source, row);
          if (ends) {
            base = ahead;
            ++row;
          }
          take(ends, pending, batch, ahead);
        }
        if (ends_group(x)) {
          CW_UNROLL
          for (int k = 0; k < Lane::count; ++k) acc[k] = 0.0F;
        }
      }
    }
  }
};

template <class M>
CW_DEVICE void walk_rows(const WalkParameters& p) {
  const RowsPlace place = rows_place<M>(p);
  const Tile tile = load_tile<M>(p, place.stream, place.tile, place.exists);
  Words4 first = load_record(tile, tile.begin + place.lane);
  if constexpr (M::async) {
    if constexpr (M::lacks(Fault::early_token_copy)) dependent_wait();
    dependent_trigger();
  }
  if (M::quantized && place.shape.passes > 1) {
    store_scales_before_walk<M>(p, tile, place.part, place.shape.team);
    sync_block();
  }
  for (int pass = 0; pass < place.shape.passes; ++pass) {
    if (pass > 0) first = load_record(tile, tile.begin + place.lane);
    const RowsWalk<M> walk{p, place, tile, rows_columns<M>(p, place, pass),
                           place.part + pass * place.shape.team};
    walk.run(first);
  }
}

CW_NAMESPACE_END
