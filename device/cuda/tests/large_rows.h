// SPDX-License-Identifier: Apache-2.0
// Problems of more than 2^31 snapshot rows, of which a few steps are walked: a small problem whose
// step i is step `steps[i]` of the large one (BIG-1, SNP-1).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "chainwalk/cuda/memory.h"
#include "chainwalk/spec/tiles.h"
#include "device_copy.h"

namespace chainwalk::cuda {

inline constexpr std::int64_t positions = 4096;
inline constexpr std::array<std::int64_t, 2> row_edges = {std::int64_t{1} << 31U,
                                                          std::int64_t{1} << 32U};

// What is walked: records whose groups are all valid and have one member each, so that a step has
// every row of its chunk.
struct SmallProblem {
  ProblemShape shape;
  std::vector<std::uint32_t> bank;
  std::vector<float> delta_v;
  std::vector<Record> records;
  std::vector<std::int32_t> tile_bounds;
  std::vector<std::int32_t> group_prefix;

  SmallProblem(BankType type, SnapshotForm form, std::int64_t head_dim, std::int64_t steps) {
    shape.bank_type = type;
    shape.snapshot = form;
    shape.slots = shape.positions = positions;
    shape.head_dim = head_dim;
    shape.num_chunks = steps;
    shape.num_parallel = 1;
    shape.chunk_size = shape.delta_v_rows = 16;
    shape.warps_per_block = 8;
    shape.blocks_per_chunk = 4;  // TIL-3: 1024 groups a block of 8 warps
    const auto words = static_cast<std::size_t>(positions * shape.bank_row_bytes() / 4);
    for (std::size_t i = 0; i < words; ++i) bank.push_back(index_word(seed, i));
    for (std::int64_t i = 0; i < 16 * head_dim; ++i) {
      delta_v.push_back(static_cast<float>(i % 251) * 0.01F - 1.0F);
    }
    for (std::int64_t step = 0; step < steps; ++step) add_chunk(step);
  }
  Problem view() const {
    return {shape, std::as_bytes(std::span(bank)), delta_v, records, tile_bounds, group_prefix, {}};
  }

 private:
  static constexpr std::uint64_t seed = 12;

  // Each step in an order of slots of its own.
  void add_chunk(std::int64_t step) {
    const auto begin = records.size();
    for (std::int64_t i = 0; i < positions; ++i) {
      const auto token = static_cast<std::uint32_t>((i + step) % 16) << record_token_shift;
      const auto slot = static_cast<std::uint32_t>((i * (2 * step + 5) + 77 * step) % positions);
      records.push_back({record_first | record_last | token, slot, 0x3F400000U, 0x3F700000U});
    }
    const auto chunk = std::span(records).subspan(begin);
    const auto bounds = standard_tile_bounds(chunk, shape.tiles_per_chunk());
    const auto prefix = group_prefix_of(chunk, bounds);
    tile_bounds.insert(tile_bounds.end(), bounds.begin(), bounds.end());
    group_prefix.insert(group_prefix.end(), prefix.begin(), prefix.end());
  }
};

// Chunks that hold the rows before and after each edge, and the first chunk: where a row number
// cut to 32 bits, or to 31, would land.
inline std::vector<std::int64_t> steps_around(std::span<const std::int64_t> edges) {
  std::vector<std::int64_t> steps = {0};
  for (const std::int64_t edge : edges) {
    steps.push_back(edge / positions - 1);
    steps.push_back(edge / positions);
  }
  return steps;
}
// The edges whose rows, of so many bytes with their records, the device holds beside all else.
inline std::span<const std::int64_t> edges_that_fit(std::uint64_t bytes_a_row) {
  constexpr std::uint64_t spare = std::uint64_t{2} << 30U;
  std::span<const std::int64_t> edges = row_edges;
  while (!edges.empty() &&
         static_cast<std::uint64_t>(edges.back() + positions) * bytes_a_row + spare >
             free_bytes(0)) {
    edges = edges.first(edges.size() - 1);
  }
  return edges;
}

// A tensor of the large problem with equally many values a chunk, of which only the chunks that are
// walked hold anything: those of the small problem's tensor.
template <typename T>
DeviceBuffer placed(std::span<const T> values, std::span<const std::int64_t> steps) {
  const std::uint64_t bytes = values.size_bytes() / steps.size();
  DeviceBuffer buffer(0, static_cast<std::uint64_t>(steps.back() + 1) * bytes);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    buffer.upload(static_cast<std::uint64_t>(steps[i]) * bytes,
                  std::as_bytes(values).subspan(i * bytes, bytes));
  }
  return buffer;
}

}  // namespace chainwalk::cuda
