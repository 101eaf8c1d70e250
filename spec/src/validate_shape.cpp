// SPDX-License-Identifier: Apache-2.0
// Checks of sizes alone (GEO-1, BIG-1, REC-1, ARI-7, PLN-1, PLN-2, PLN-3, PLN-7, PLN-8).
#include <limits>

#include "chainwalk/spec/head.h"
#include "chainwalk/spec/validate.h"
#include "fault_list.h"

namespace chainwalk {
namespace {

using validation::FaultList;

constexpr auto int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t slots_max = (std::int64_t{1} << 31U) - 1;
constexpr std::int64_t positions_max = std::int64_t{1} << 30U;
constexpr std::int64_t step_max = (std::int64_t{1} << 31U) - 1;
constexpr std::int64_t chunk_size_max = 256;

void check_range(FaultList& faults, const char* rule, const char* name, std::int64_t value,
                 std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  faults.add(rule, high == int64_max
                       ? fmt::format("{} is {}; at least {} is needed", name, value, low)
                       : fmt::format("{} is {}; {}..{} is needed", name, value, low, high));
}

void check_ranges(FaultList& faults, const ProblemShape& shape) {
  check_range(faults, "GEO-1", "head_dim", shape.head_dim, 1, max_head_dim);
  check_range(faults, "BIG-1", "slots", shape.slots, 0, slots_max);
  check_range(faults, "REC-1", "num_chunks", shape.num_chunks, 0, int64_max);
  check_range(faults, "REC-1", "positions", shape.positions, 0, positions_max);
  check_range(faults, "PLN-1", "num_parallel", shape.num_parallel, 1, int64_max);
  check_range(faults, "PLN-1", "chunk_size", shape.chunk_size, 1, chunk_size_max);
  check_range(faults, "PLN-1", "blocks_per_chunk", shape.blocks_per_chunk, 0, int64_max);
  check_range(faults, "PLN-2", "delta_v_rows", shape.delta_v_rows, 0, int64_max);
  check_range(faults, "ARI-7", "delta_v_step_rows", shape.delta_v_step_rows, 0, int64_max);
  const std::int64_t nw = shape.warps_per_block;
  if (nw != 4 && nw != 8 && nw != 16) {
    faults.add("PLN-1", fmt::format("warps_per_block is {}; 4, 8 or 16 is needed", nw));
  }
  if (shape.snapshot == SnapshotForm::bf16 && shape.bank_type != BankType::f32) {
    faults.add("PLN-3",
               fmt::format("snapshot is bf16 and the bank is {}; an f32 bank is needed (SNP-3)",
                           to_string(shape.bank_type)));
  }
}

// PLN-7: whether count * each bytes stays in 63 bits. Both >= 0.
bool check_product(FaultList& faults, const char* tensor, std::int64_t count, std::int64_t each) {
  if (each == 0 || count <= int64_max / each) return true;
  faults.add("PLN-7", fmt::format("{} is {} rows of {} bytes; that does not fit in 63 bits", tensor,
                                  count, each));
  return false;
}

// Products of sizes that are each in range.
bool check_products(FaultList& faults, const ProblemShape& shape) {
  bool fits = check_product(faults, "delta_v", shape.delta_v_rows, shape.head_dim * 4);
  fits &= check_product(faults, "records", shape.num_chunks, shape.positions * 16);
  if (shape.blocks_per_chunk > (int64_max / 4 - 1) / shape.warps_per_block) {
    faults.add("PLN-7",
               fmt::format("blocks_per_chunk is {}; {} warps of each do not fit in 63 bits",
                           shape.blocks_per_chunk, shape.warps_per_block));
    fits = false;
  } else {
    fits &=
        check_product(faults, "tile_bounds", shape.num_chunks, (shape.tiles_per_chunk() + 1) * 4);
  }
  if (fits) {
    const std::int64_t row_bytes = shape.snapshot_row_bytes();
    fits &= check_product(faults, "the snapshot", shape.snapshot_rows(), row_bytes);
    if (is_quantized(shape.snapshot)) {
      fits &= check_product(faults, "scale", shape.snapshot_rows(), 4);
    }
  }
  return fits;
}

void check_token_rows(FaultList& faults, const ProblemShape& shape) {
  if (shape.num_parallel > shape.delta_v_rows / shape.chunk_size) {
    faults.add("PLN-2",
               fmt::format("delta_v_rows is {}; at least {} streams of {} tokens are needed",
                           shape.delta_v_rows, shape.num_parallel, shape.chunk_size));
    return;
  }
  const std::int64_t numel = shape.delta_v_rows * shape.head_dim;
  if (shape.delta_v_step_rows > numel) {
    faults.add("ARI-7",
               fmt::format("delta_v_step_rows is {}; 0..{} (elements of delta_v) is needed",
                           shape.delta_v_step_rows, numel));
    return;
  }
  const std::int64_t last_step = shape.steps() - 1;
  if (last_step > step_max) {
    faults.add("PLN-8", fmt::format("num_chunks is {}: the last step is {}; at most {} is needed",
                                    shape.num_chunks, last_step, step_max));
    return;
  }
  const std::int64_t spare = shape.delta_v_rows - shape.num_parallel * shape.chunk_size;
  if (shape.delta_v_step_rows != 0 && last_step > spare / shape.delta_v_step_rows) {
    faults.add("PLN-8",
               fmt::format("the last step is {}; with {} token rows and delta_v_step_rows {} the "
                           "greatest legal step is {}",
                           last_step, shape.delta_v_rows, shape.delta_v_step_rows,
                           spare / shape.delta_v_step_rows));
  }
}

}  // namespace

std::vector<InputFault> validate_shape(const ProblemShape& shape) {
  FaultList faults(std::numeric_limits<std::size_t>::max());
  check_ranges(faults, shape);
  if (faults.empty() && check_products(faults, shape)) check_token_rows(faults, shape);
  return faults.take();
}

}  // namespace chainwalk
