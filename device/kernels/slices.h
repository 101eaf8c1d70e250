// SPDX-License-Identifier: Apache-2.0
// The sliced forms: a block of nw warps, a tile a warp, walks one share of the columns (one slice,
// or two) of a stream's chunk, or every share in turn (GEO-1, GEO-8, TIL-1, LCH-2, LCH-5).
#pragma once

#include "base_rows.h"
#include "dense_rows.h"
#include "peers.h"
#include "prescale.h"
#include "primitives/dependent_launch.h"
#include "slices_walk.h"

CW_NAMESPACE_BEGIN

struct SlicesPlace {
  std::int64_t stream;
  std::int32_t block;   // of the stream's chunk, 0..K - 1
  std::int32_t warps;   // nw
  std::int32_t share;   // first share of the columns
  std::int32_t shares;  // that this block walks
};

template <class M>
CW_DEVICE SlicesPlace slices_place(const WalkParameters& p) {
  const std::int32_t shares = p.slices / slices_per_warp(M::traits);
  SlicesPlace place;
  place.warps = block_threads() / 32;
  std::int64_t unit = block_index();
  if constexpr (M::traits.quantizing == Quantizing::all_slices) {
    place.share = 0;
    place.shares = shares;
  } else {
    place.share = static_cast<std::int32_t>(unit % shares);
    place.shares = 1;
    unit /= shares;
  }
  place.stream = unit / p.blocks_per_chunk;
  place.block = static_cast<std::int32_t>(unit - place.stream * p.blocks_per_chunk);
  return place;
}

// A block's walk, with what its steps share.
template <class M>
struct SlicesBlock {
  using Lane = SlicesLane<M>;
  static constexpr int slices = slices_per_warp(M::traits);

  const WalkParameters& p;
  SlicesPlace place;
  SlicesLayout layout;
  unsigned char* shared;
  Tile tile;

  CW_DEVICE Barrier* barriers() const {
    return reinterpret_cast<Barrier*>(shared + layout.barriers);
  }
  CW_DEVICE Barrier* ring_barriers() const { return barriers() + 1 + warp_index() * ring_places; }
  CW_DEVICE unsigned char* warp_base_rows() const {
    return shared + layout.base_rows + warp_index() * layout.base_warp_bytes;
  }
  CW_DEVICE float* floats(std::int64_t offset) const {
    return reinterpret_cast<float*>(shared + offset);
  }

  CW_DEVICE void run() {
    const TokenRows<M> tokens{p, shared, layout.token_slice_bytes, barriers()};
    Words4 first = load_record(tile, tile.begin + lane_index());
    if constexpr (M::traits.source == BaseSource::dense_rows) {
      if (lane_index() < ring_places) barrier_init(ring_barriers() + lane_index(), 1);
      barrier_init_fence();
    }
    tokens.prepare();
    if constexpr (M::has(Fault::early_token_copy)) tokens.start(place.stream, place.share * slices);
    if constexpr (M::async) {
      dependent_wait();
      dependent_trigger();
    }
    if constexpr (M::lacks(Fault::early_token_copy)) {
      tokens.start(place.stream, place.share * slices);
    }
    if constexpr (M::traits.quantizing == Quantizing::all_slices) {
      store_scales_before_walk<M>(p, tile, 0, 1);
    }
    for (std::int32_t share = place.share;;) {
      walk_share(share * slices, first, tokens);
      if (++share == place.share + place.shares) break;
      tokens.reuse();
      tokens.start(place.stream, share * slices);
      first = load_record(tile, tile.begin + lane_index());
    }
  }

  CW_DEVICE void walk_share(std::int32_t first_slice, Words4 first, const TokenRows<M>& tokens) {
    const Lane columns = slices_columns<M>(p, first_slice);
    if (M::has(Fault::exit_before_token_copy) && tile.begin == tile.end) return;
    if constexpr (M::traits.quantizing == Quantizing::cluster) {
      const ClusterScales<M, Lane> peers{p,
                                         columns,
                                         floats(layout.amax),
                                         floats(layout.scales),
                                         place.warps * cluster_groups_a_warp,
                                         block_first_group()};
      peers.make(tile, first_slice == 0);
      tokens.wait();
      walk_tile(columns, first_slice, first,
                [&](const auto&, std::int64_t row) { return peers.scale(tile, row); });
      peers.close();
    } else if constexpr (M::traits.quantizing == Quantizing::all_slices) {
      tokens.wait();
      walk_tile(columns, first_slice, first,
                [&](const auto&, std::int64_t row) { return load_coherent(p.scale + row); });
    } else {
      tokens.wait();
      walk_tile(columns, first_slice, first, [&](const auto& base, std::int64_t row) {
        const float scale = scale_of<M>(join_amax(amax_of<M>(base), 32));
        if (lane_index() == 0) store(p.scale + row, scale);
        return scale;
      });
    }
  }

  template <class Scale>
  CW_DEVICE void walk_tile(const Lane& columns, std::int32_t first_slice, Words4 first,
                           const Scale& scale) {
    auto* records = reinterpret_cast<Words4*>(shared + layout.records) + warp_index() * 32;
    const std::int32_t first_column = first_slice * p.slice_width;
    const auto walk = [&](auto base) {
      SlicesWalk<M, decltype(base), Scale>{p,       tile, columns, shared, layout.token_slice_bytes,
                                           records, base, scale}
          .run(first);
    };
    if constexpr (M::traits.source == BaseSource::bank_direct) {
      walk(DirectBase<M, Lane>(p, columns, records));
    } else if constexpr (M::traits.source == BaseSource::batch_prefetch) {
      walk(BatchBase<M, Lane>(p, columns, records, warp_base_rows(), layout.base_slice_bytes,
                              first_column));
    } else {
      walk(DenseBase<M, Lane>(p, columns, tile, warp_base_rows(), layout.base_slice_bytes,
                              ring_barriers(), first_column));
    }
  }

  CW_DEVICE std::int32_t block_first_group() const {
    const std::int64_t chunk = std::int64_t{p.step} * p.num_parallel + place.stream;
    return load_cached(p.group_prefix + chunk * (std::int64_t{p.tiles_per_chunk} + 1) +
                       place.block * place.warps);
  }
};

template <class M>
CW_DEVICE void walk_slices(const WalkParameters& p) {
  constexpr KernelTraits traits = M::traits;  // device code has no address of a static member
  const SlicesPlace place = slices_place<M>(p);
  SlicesBlock<M> block{
      p, place, slices_layout(traits, p.chunk_size, p.slice_width, place.warps), shared_memory(),
      load_tile<M>(p, place.stream, place.block * place.warps + warp_index(), true)};
  block.run();
}

CW_NAMESPACE_END
