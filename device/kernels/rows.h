// SPDX-License-Identifier: Apache-2.0
// The walk of whole rows: a warp, a share of one, or a few warps keep every column of a group in
// registers, read token rows through the caches, and read each bank row once for the walk and for
// its snapshot row (ARI, SNP, QNT-10, SRC-1, LCH-2).
#pragma once

#include "prescale.h"
#include "primitives/block.h"
#include "primitives/dependent_launch.h"
#include "row_ring.h"
#include "rows_place.h"
#include "snapshot.h"

CW_NAMESPACE_BEGIN

// A lane's columns of a token row on their way to it. A vector that is not there reads columns that
// are, for sums that are not stored: loads without branches are the faster by a third.
template <class Lane>
class TokenColumns {
 public:
  // `row` is the first column of the token row.
  CW_DEVICE void load(const Lane& columns, const float* row) {
    CW_UNROLL
    for (int r = 0; r < Lane::vectors; ++r) {
      const float* first = row + (columns.has(r) ? columns.first[r] : 0);
      CW_UNROLL
      for (int i = 0; i < V / piece; ++i) {
        Move::split(load_ordinary(reinterpret_cast<const typename Move::Word*>(first + i * piece)),
                    part_[r * (V / piece) + i].word);
      }
    }
  }

  // acc = fma(scale, token row, acc) (ARI-1).
  CW_DEVICE void add_to(float* acc, float scale) const {
    CW_UNROLL
    for (int k = 0; k < Lane::count; ++k) {
      acc[k] = fma_rn(scale, part_[k / piece].value(k % piece), acc[k]);
    }
  }

 private:
  static constexpr int V = Lane::vector;
  static constexpr int piece = V < 4 ? V : 4;  // columns of one access
  using Piece = Packed<BankType::f32, piece>;
  using Move = Access<Piece::bytes>;

  Piece part_[Lane::vectors * V / piece];
};

template <class M, class Lane>
struct RowsWalk {
  using Base = BaseRow<M, Lane>;
  static constexpr bool full = !Lane::masked;  // every lane of the warp holds columns of one row

  const WalkParameters& p;
  const RowsPlace& place;
  const Tile& tile;
  Lane columns;
  std::int32_t part;

  // QNT-2 over every warp of the row's team; two places in turn, so that one barrier a group is
  // enough.
  CW_DEVICE float team_amax(float amax, std::int64_t row) const {
    amax = join_amax(amax, full ? 32 : place.shape.lanes);
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

  // Whether a vote of the warp joins lanes of several rows: amax is shuffled across all of them.
  CW_DEVICE bool votes() const { return M::quantized && !full && place.shape.lanes < 32; }

  // Stores of the lanes that `ends`; the whole warp calls where rows are quantized.
  CW_DEVICE void end_group(bool ends, Base& base, const float* acc, const Words4& record,
                           std::int64_t row) const {
    Lane stored = columns;
    if (!ends) stored.present = 0;
    update_bank_row<M>(p, stored, base, acc, record.y, as_float(record.w));
    if constexpr (M::has(Fault::base_after_store)) base = load_bank_row<M>(p, stored, record.y);
    store_row(stored, base, row);
  }

  CW_DEVICE const float* token_row(std::uint32_t x) const {
    return tile.token_rows + token_of(x, p.chunk_size) * row_columns<Lane>(p);
  }
  CW_DEVICE static void clear(float* acc) {
    CW_UNROLL
    for (int k = 0; k < Lane::count; ++k) acc[k] = 0.0F;
  }

  // A position a turn: its bank row and its token row are read at once, and the next record while
  // they are on their way. Few registers and many warps hide more latency than rows fetched ahead
  // into registers.
  CW_DEVICE void run(Words4 record) const {
    float acc[Lane::count] = {};
    std::int64_t row = tile.row;
    for (std::int32_t at = tile.begin;; ++at) {
      const bool inside = at < tile.end;
      if (votes() ? ballot(full_warp, inside) == 0 : !inside) break;
      const Words4 next = load_record(tile, at + 1);
      const bool ends = inside && ends_valid_group(record.x);
      Base base = load_bank_row<M>(p, columns, record.y, ends);
      if (inside) {
        TokenColumns<Lane> token;
        token.load(columns, token_row(record.x));
        token.add_to(acc, as_float(record.z));
      }
      if (votes() ? ballot(full_warp, ends) != 0 : ends) end_group(ends, base, acc, record, row);
      if (ends) ++row;
      if (ends_group(record.x)) clear(acc);
      record = next;
    }
  }

  // The same of rows that the warp has alone: bank rows come two positions ahead through shared
  // memory, which costs no registers. Token rows come while a bank row is waited for, or already
  // while a raw snapshot row is stored, which is long and leaves the registers.
  CW_DEVICE void run_ahead(Words4 record) const {
    constexpr bool early = M::traits.snapshot == SnapshotForm::raw;
    Words4 next = load_record(tile, tile.begin + 1);
    Words4 second = load_record(tile, tile.begin + 2);
    RowRing<M, Lane> ring(p, columns);
    ring.start(record);
    ring.start(next);
    float acc[Lane::count] = {};
    std::int64_t row = tile.row;
    TokenColumns<Lane> token;
    if (early && tile.begin < tile.end) token.load(columns, token_row(record.x));
    for (std::int32_t at = tile.begin; at < tile.end; ++at) {
      const Words4 third = load_record(tile, at + 3);
      const bool ends = ends_valid_group(record.x);
      if (!early) token.load(columns, token_row(record.x));
      keep_loads_before();
      Base base = ring.take(ends);
      ring.start(second);
      token.add_to(acc, as_float(record.z));
      if (early && at + 1 < tile.end) token.load(columns, token_row(next.x));
      if (ends) end_group(true, base, acc, record, row++);
      if (ends_group(record.x)) clear(acc);
      record = next;
      next = second;
      second = third;
    }
  }
};

// The start of a walk whose rows are cut by `shape`.
template <class M>
struct RowsStart {
  RowsPlace place;
  Tile tile;
  Words4 first;  // the tile's first record

  CW_DEVICE RowsStart(const WalkParameters& p, const RowsShape& shape)
      : place(rows_place<M>(p, shape)),
        tile(load_tile<M>(p, place.stream, place.tile, place.exists)),
        first(load_record(tile, tile.begin)) {
    if constexpr (M::async) {
      if constexpr (M::lacks(Fault::early_token_copy)) dependent_wait();
      dependent_trigger();
    }
  }
};

template <class M, class Lane>
CW_DEVICE void walk_passes(const WalkParameters& p, const RowsStart<M>& start) {
  const RowsPlace& place = start.place;
  Words4 first = start.first;
  for (int pass = 0; pass < place.shape.passes; ++pass) {
    if (pass > 0) first = load_record(start.tile, start.tile.begin);
    RowsWalk<M, Lane>{p, place, start.tile, rows_columns<M, Lane>(p, place, pass),
                      place.part + pass * place.shape.team}
        .run(first);
  }
}

// Rows that one warp has alone. Their shape is a constant, and no value is alive here and in the
// other walks, which would spill it.
template <class M>
CW_DEVICE void walk_own_rows(const WalkParameters& p) {
  using Lane = OwnRowLane<M>;
  constexpr KernelTraits traits = M::traits;
  const RowsStart<M> start(p, rows_shape(traits, Lane::row));
  RowsWalk<M, Lane>{p, start.place, start.tile, rows_columns<M, Lane>(p, start.place, 0), 0}
      .run_ahead(start.first);
}

template <class M>
CW_DEVICE void walk_rows(const WalkParameters& p) {
  constexpr KernelTraits traits = M::traits;  // device code has no address of a static member
  if constexpr (columns_ahead(traits) > 0) {
    if (fetches_ahead(traits, p.head_dim)) {
      walk_own_rows<M>(p);
      return;
    }
  }
  const RowsStart<M> start(p, rows_shape(traits, p.head_dim));
  const RowsShape& shape = start.place.shape;
  if (M::quantized && shape.passes > 1) {
    store_scales_before_walk<M>(p, start.tile, start.place.part, shape.team);
    sync_block();
  }
  if (shape.full) {
    walk_passes<M, FullRowsLane<M>>(p, start);
  } else {
    walk_passes<M, RowsLane<M>>(p, start);
  }
}

CW_NAMESPACE_END
