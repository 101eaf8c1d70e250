// SPDX-License-Identifier: Apache-2.0
// What a launch hands to a kernel of the family: plain data, the same bytes on a GPU and under the
// emulator.
#pragma once

#include <cstdint>

#include "chainwalk/spec/record.h"

namespace chainwalk::device {

// A 2-D tensor map. Opaque here: each machine encodes its own (a CUtensorMap on a GPU).
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// One step of a plan. Pointers are device addresses. All row offsets that a kernel forms from these
// are 64-bit unless the kernel is a 32-bit-offset member, which a plan only picks where every byte
// offset into the bank fits (BIG-1).
struct WalkParameters {
  void* bank;                        // [slots, head_dim]
  const float* delta_v;              // [rows, head_dim]
  const Record* records;             // [N, n]
  const std::int32_t* tile_bounds;   // [N, tiles_per_chunk + 1]
  const std::int32_t* group_prefix;  // same shape; null where no rows are written or read
  void* snapshot;         // [N * n, head_dim]: written (raw, bf16) or, for dense-row sources, read
  std::uint8_t* payload;  // [N * n, payload_row_bytes]
  float* scale;           // [N * n]

  std::int64_t positions;          // n
  std::int64_t delta_v_step_rows;  // ARI-7
  std::int64_t payload_row_bytes;
  std::int32_t head_dim;          // hd
  std::int32_t slices;            // column slices of a row (GEO-1)
  std::int32_t slice_width;       // columns of a slice, the last one excepted in tails
  std::int32_t num_parallel;      // P
  std::int32_t chunk_size;        // C
  std::int32_t tiles_per_chunk;   // TU = K * nw
  std::int32_t blocks_per_chunk;  // K
  std::int32_t step;              // ti
  std::int32_t snapshot_step;     // 0 or P
  std::int32_t dependent;         // 1: launched programmatically (LCH-2)
  std::int32_t reserved[2];

  TensorMap token_map;  // delta_v as [rows, head_dim] f32, box {slice_width, <= 256 rows}
  TensorMap row_map;    // dense snapshot rows, box {slice_width, 8} (SRC-2)
};

}  // namespace chainwalk::device
