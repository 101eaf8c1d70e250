// SPDX-License-Identifier: Apache-2.0
// Views over the caller's memory (PLN-8, PLN-10).
#include "bind_request.h"

#include <algorithm>

namespace chainwalk::adapters {
namespace {

template <typename T>
std::span<T> elements_of(const cw_tensor& tensor, std::int64_t count) {
  return {static_cast<T*>(tensor.data), static_cast<std::size_t>(count)};
}

ProblemShape shape_of(const cw_request& request) {
  ProblemShape shape;
  shape.bank_type = request.bank.type == CW_BF16 ? BankType::bf16 : BankType::f32;
  shape.snapshot = static_cast<SnapshotForm>(request.snapshot_form);
  shape.slots = request.bank.shape[0];
  shape.head_dim = request.bank.shape[1];
  shape.num_chunks = request.records.shape[0];
  shape.positions = request.records.shape[1];
  shape.num_parallel = request.num_parallel;
  shape.chunk_size = request.chunk_size;
  std::int64_t elements = 1;
  for (std::int32_t i = 0; i < request.delta_v.rank; ++i) elements *= request.delta_v.shape[i];
  shape.delta_v_rows = elements / shape.head_dim;
  shape.delta_v_step_rows = request.delta_v_step_rows;
  shape.warps_per_block = request.warps_per_block;
  shape.blocks_per_chunk = request.blocks_per_chunk;
  return shape;
}

std::int64_t greatest_step_of(const ProblemShape& shape) {
  std::int64_t greatest = (std::int64_t{1} << 31U) - 1;
  if (shape.num_parallel > 0) greatest = std::min(greatest, shape.steps() - 1);
  if (shape.delta_v_step_rows > 0) {
    const std::int64_t spare = shape.delta_v_rows - shape.num_parallel * shape.chunk_size;
    greatest = std::min(greatest, spare / shape.delta_v_step_rows);
  }
  return greatest;
}

}  // namespace

Bound bind_request(const cw_request& request) {
  Bound bound;
  Problem& problem = bound.problem;
  problem.shape = shape_of(request);
  const ProblemShape& shape = problem.shape;
  bound.greatest_step = greatest_step_of(shape);
  const std::int64_t rows = shape.snapshot_rows();
  const std::int64_t bounds = shape.num_chunks * (shape.tiles_per_chunk() + 1);
  bound.outputs.bank = elements_of<std::byte>(request.bank, shape.slots * shape.bank_row_bytes());
  problem.bank_before = bound.outputs.bank;
  problem.delta_v = elements_of<const float>(request.delta_v, shape.delta_v_rows * shape.head_dim);
  problem.records = elements_of<const Record>(request.records, rows);
  problem.tile_bounds = elements_of<const std::int32_t>(request.tile_bounds, bounds);
  problem.group_prefix = elements_of<const std::int32_t>(request.group_prefix, bounds);
  const std::int64_t row_bytes = shape.snapshot_row_bytes();
  if (is_dense(shape.snapshot)) {
    bound.outputs.snapshot = elements_of<std::byte>(request.snapshot, rows * row_bytes);
  } else if (is_quantized(shape.snapshot)) {
    bound.outputs.payload = elements_of<std::byte>(request.payload, rows * row_bytes);
    bound.outputs.scale = elements_of<float>(request.scale, rows);
  }
  return bound;
}

}  // namespace chainwalk::adapters
