// SPDX-License-Identifier: Apache-2.0
// Launch geometry and shared-memory layout of every member, as pure functions of its traits and a
// launch's sizes: read by plans and by the kernels themselves, so that they agree (GEO, TIL-3,
// PLN-6).
//
// What a caller of these has checked before: head_dim in 1..2^20, chunk_size in 1..256, sizes not
// negative, blocks_per_chunk dividing tiles_per_chunk where it is not 0.
#pragma once

#include <cstdint>

#include "family.h"
#include "parameters.h"

// Called from kernels of several builds, none of which may emit a symbol of its own for them.
#define CW_GEOMETRY [[gnu::always_inline]] constexpr

namespace chainwalk::device {

CW_GEOMETRY std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}
CW_GEOMETRY std::int32_t bank_element_bytes(BankType bank) {
  return bank == BankType::bf16 ? 2 : 4;
}

// Columns of one access to a bank row. Sliced forms: 4, of scalar heads 1.
CW_GEOMETRY std::int32_t vector_columns(const KernelTraits& traits) {
  switch (traits.head) {
    case HeadSupport::any:
    case HeadSupport::scalar: return 1;
    case HeadSupport::pairs: return 2;
    case HeadSupport::regular:
      return traits.form == Form::rows ? 16 / bank_element_bytes(traits.bank) : 4;
    case HeadSupport::regular_full:
    case HeadSupport::even:
    case HeadSupport::uneven: return 4;
  }
  return 1;
}
CW_GEOMETRY std::int32_t slices_per_warp(const KernelTraits& traits) {
  return traits.form == Form::two_slices ? 2 : 1;
}
CW_GEOMETRY bool writes_quantized(const KernelTraits& traits) {
  return traits.quantizing != Quantizing::none;
}

// ---- rows form -------------------------------------------------------------------------------

inline constexpr std::int32_t rows_block_warps = 4;  // of a member whose warps work alone
inline constexpr std::int32_t rows_team_limit = 8;   // warps of a block that join amax
inline constexpr std::int32_t rows_ahead = 2;        // bank rows of a warp on their way at once

// How a row is cut over lanes, warps and passes. A row takes `lanes` lanes (4, 8, 16 or 32) where
// it has one part, so that a warp walks 32 / lanes tiles at once; else a warp a part.
struct RowsShape {
  std::int32_t lanes_log2;
  std::int32_t lanes;
  std::int32_t parts;   // of 32 * columns_per_lane columns
  std::int32_t team;    // warps of a block that share a tile; 1 where parts work alone
  std::int32_t passes;  // of a team over the columns of its rows
  bool full;            // every lane of every pass has all of its columns
};
CW_GEOMETRY RowsShape rows_shape(const KernelTraits& traits, std::int32_t head_dim) {
  std::int32_t lanes_log2 = 2;
  while (lanes_log2 < 5 && (traits.columns_per_lane << lanes_log2) < head_dim) ++lanes_log2;
  const std::int32_t lanes = 1 << lanes_log2;
  const std::int32_t width = lanes * traits.columns_per_lane;
  const std::int32_t parts = (head_dim + width - 1) / width;
  const bool filled = lanes == 32 && parts * width == head_dim;
  if (!writes_quantized(traits)) return {lanes_log2, lanes, parts, 1, 1, filled};
  const std::int32_t team = parts < traits.warps_per_row ? parts : traits.warps_per_row;
  const std::int32_t passes = (parts + team - 1) / team;
  return {lanes_log2, lanes, parts, team, passes, filled && passes * team == parts};
}

// ---- sliced forms ----------------------------------------------------------------------------

inline constexpr std::int32_t ring_places = 4;              // SRC-2: units of a warp's ring
inline constexpr std::int32_t ring_unit_rows = 8;           // SRC-2
inline constexpr std::int32_t batch_positions = 32;         // records of a batch; rows of SRC-3
inline constexpr std::int32_t cluster_groups_a_warp = 128;  // TIL-3

// Columns of a slice's row in shared memory: whole 16-byte pieces.
CW_GEOMETRY std::int32_t padded_width(std::int32_t slice_width) {
  return (slice_width + 3) / 4 * 4;
}

// Byte offsets into a block's shared memory; 128-byte aligned but for the barriers.
struct SlicesLayout {
  std::int64_t token_slice_bytes;  // between the token rows of two slices of a warp
  std::int64_t records;            // [nw][32] records
  std::int64_t base_rows;          // [nw] rings or batches of base rows
  std::int64_t
      base_slice_bytes;          // one unit of 8 rows (SRC-2) or one batch of 32 (SRC-3) of a slice
  std::int64_t base_warp_bytes;  // all base rows of a warp
  std::int64_t amax;             // [128 * nw] f32, read by peers
  std::int64_t scales;           // [128 * nw] f32
  std::int64_t barriers;         // token barrier, then [nw][ring_places]
  std::int64_t bytes;            // in all
};
CW_GEOMETRY SlicesLayout slices_layout(const KernelTraits& traits, std::int32_t chunk_size,
                                       std::int32_t slice_width, std::int32_t warps) {
  const std::int32_t slices = slices_per_warp(traits);
  SlicesLayout layout{};
  layout.token_slice_bytes =
      round_up(std::int64_t{chunk_size} * padded_width(slice_width) * 4, 128);
  std::int64_t next = slices * layout.token_slice_bytes;
  layout.records = next;
  next += std::int64_t{warps} * batch_positions * 16;
  layout.base_rows = next;
  if (traits.source != BaseSource::bank_direct) {
    const bool ring = traits.source == BaseSource::dense_rows;
    const std::int64_t row_bytes = std::int64_t{slice_width} * bank_element_bytes(traits.bank);
    layout.base_slice_bytes = round_up(row_bytes * (ring ? ring_unit_rows : batch_positions), 128);
    layout.base_warp_bytes = slices * layout.base_slice_bytes * (ring ? ring_places : 1);
    next += warps * layout.base_warp_bytes;
  }
  layout.amax = next;
  if (traits.quantizing == Quantizing::cluster)
    next += std::int64_t{warps} * cluster_groups_a_warp * 4;
  layout.scales = next;
  if (traits.quantizing == Quantizing::cluster)
    next += std::int64_t{warps} * cluster_groups_a_warp * 4;
  layout.barriers = next;
  if (traits.image == Image::async) {
    next += 8;
    if (traits.source == BaseSource::dense_rows) next += std::int64_t{warps} * ring_places * 8;
  }
  layout.bytes = round_up(next, 16);
  return layout;
}

// ---- every form ------------------------------------------------------------------------------

// Most threads of a block, which caps a member's registers.
CW_GEOMETRY std::int32_t most_threads(const KernelTraits& traits) {
  if (traits.form != Form::rows) return 16 * 32;
  return (writes_quantized(traits) ? rows_team_limit : rows_block_warps) * 32;
}

struct LaunchShape {
  std::int64_t blocks;
  std::int32_t threads;  // of a block
  std::int32_t cluster;  // blocks of a cluster
  std::int64_t shared_bytes;
};

// Columns of the rows that a member fetches ahead into shared memory, by 16-byte copies: those that
// one warp has alone and fills its lanes with; 0 where it fetches none. Lanes of 16 columns have no
// register left for it, and wide rows without a snapshot gain nothing.
CW_GEOMETRY std::int32_t columns_ahead(const KernelTraits& traits) {
  const bool serves = traits.form == Form::rows && traits.head == HeadSupport::regular &&
                      traits.bank == BankType::bf16;
  const bool gains = traits.columns_per_lane == 8 ||
                     (traits.columns_per_lane > 16 && traits.snapshot != SnapshotForm::none);
  return serves && gains ? 32 * traits.columns_per_lane : 0;
}
// Read by the launch, which gives the memory, and by the kernel, which uses it. Heads are positive.
CW_GEOMETRY bool fetches_ahead(const KernelTraits& traits, std::int32_t head_dim) {
  return head_dim == columns_ahead(traits);
}

CW_GEOMETRY LaunchShape rows_launch(const KernelTraits& traits, const WalkParameters& parameters) {
  const RowsShape shape = rows_shape(traits, parameters.head_dim);
  const std::int64_t tiles = std::int64_t{parameters.num_parallel} * parameters.tiles_per_chunk;
  if (shape.team > 1) return {tiles, shape.team * 32, 1, std::int64_t{2} * rows_team_limit * 4};
  const std::int64_t tiles_a_block = rows_block_warps * 32 / shape.lanes;
  const bool ahead = fetches_ahead(traits, parameters.head_dim);
  const std::int64_t row_bytes =
      std::int64_t{parameters.head_dim} * bank_element_bytes(traits.bank);
  return {(tiles * shape.parts + tiles_a_block - 1) / tiles_a_block, rows_block_warps * 32, 1,
          ahead ? rows_block_warps * rows_ahead * row_bytes : 0};
}
CW_GEOMETRY LaunchShape slices_launch(const KernelTraits& traits,
                                      const WalkParameters& parameters) {
  const std::int32_t warps = parameters.blocks_per_chunk == 0
                                 ? 0
                                 : parameters.tiles_per_chunk / parameters.blocks_per_chunk;
  const std::int32_t shares = parameters.slices / slices_per_warp(traits);
  const bool one_block = traits.quantizing == Quantizing::all_slices;
  return {std::int64_t{parameters.num_parallel} * parameters.blocks_per_chunk *
              (one_block ? 1 : shares),
          warps * 32, traits.quantizing == Quantizing::cluster ? shares : 1,
          slices_layout(traits, parameters.chunk_size, parameters.slice_width, warps).bytes};
}

// The launch of a step: sizes of `parameters` are read, nothing behind a pointer.
CW_GEOMETRY LaunchShape launch_shape(const KernelTraits& traits, const WalkParameters& parameters) {
  return traits.form == Form::rows ? rows_launch(traits, parameters)
                                   : slices_launch(traits, parameters);
}

// Whether a member serves a head at all; whether a device can hold it is another question. `slices`
// and `slice_width` are those of make_head().
CW_GEOMETRY bool serves_head(const KernelTraits& traits, std::int32_t head_dim, std::int32_t slices,
                             std::int32_t slice_width) {
  const std::int32_t bytes = bank_element_bytes(traits.bank);
  if (traits.form == Form::rows) return head_dim % vector_columns(traits) == 0;
  if (slices % slices_per_warp(traits) != 0) return false;
  if (traits.quantizing == Quantizing::in_walk && slices != slices_per_warp(traits)) return false;
  if (traits.quantizing == Quantizing::cluster && slices / slices_per_warp(traits) > 16)
    return false;
  switch (traits.head) {
    case HeadSupport::regular:
    case HeadSupport::regular_full:
      return slices * slice_width == head_dim && slice_width * bytes % 16 == 0 &&
             (traits.head == HeadSupport::regular || slice_width == 128);
    case HeadSupport::uneven: return head_dim % 4 == 0;
    case HeadSupport::scalar: return head_dim % 4 != 0;
    case HeadSupport::even:
    case HeadSupport::any:
    case HeadSupport::pairs: return false;
  }
  return false;
}

// Which tensor maps a launch reads: token_map with box {slice_width, chunk_size}, row_map with box
// {slice_width, 8}. Heads of one slice are copied in bulk, and no map describes a matrix of no
// rows.
CW_GEOMETRY bool uses_token_map(const KernelTraits& traits, std::int32_t slices) {
  return traits.form != Form::rows && traits.image == Image::async &&
         traits.head != HeadSupport::scalar && slices > 1;
}
CW_GEOMETRY bool uses_row_map(const KernelTraits& traits, const WalkParameters& parameters) {
  return traits.source == BaseSource::dense_rows && parameters.slices > 1 &&
         parameters.positions > 0;
}

}  // namespace chainwalk::device
