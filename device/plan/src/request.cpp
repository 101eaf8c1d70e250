// SPDX-License-Identifier: Apache-2.0
// A request over the views of a problem, and the sizes of a shape.
#include <initializer_list>

#include "chainwalk/plan/plan.h"
#include "sizes.h"

namespace chainwalk::plan {
namespace {

Tensor tensor_of(const void* data, ElementType type, std::initializer_list<std::int64_t> shape) {
  Tensor tensor;
  // Inputs are read only: a kernel takes them through pointers to const.
  tensor.data = const_cast<void*>(data);
  tensor.type = type;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  std::size_t i = 0;
  for (const std::int64_t size : shape) {
    tensor.shape[i++] = size;
  }
  std::int64_t stride = 1;
  for (std::size_t inner = shape.size(); inner-- > 0;) {
    tensor.stride[inner] = stride;
    stride *= tensor.shape[inner];
  }
  return tensor;
}

}  // namespace

Request request_for(const Problem& problem, const Outputs& outputs) {
  const ProblemShape& shape = problem.shape;
  const ElementType bank_type =
      shape.bank_type == BankType::bf16 ? ElementType::bf16 : ElementType::f32;
  const std::int64_t bounds = shape.tiles_per_chunk() + 1;
  Request request;
  request.form = shape.snapshot;
  request.bank = tensor_of(outputs.bank.data(), bank_type, {shape.slots, shape.head_dim});
  request.delta_v =
      tensor_of(problem.delta_v.data(), ElementType::f32, {shape.delta_v_rows, shape.head_dim});
  request.records =
      tensor_of(problem.records.data(), ElementType::i32, {shape.num_chunks, shape.positions, 4});
  request.tile_bounds =
      tensor_of(problem.tile_bounds.data(), ElementType::i32, {shape.num_chunks, bounds});
  request.group_prefix =
      tensor_of(problem.group_prefix.data(), ElementType::i32, {shape.num_chunks, bounds});
  if (is_dense(shape.snapshot)) {
    const ElementType rows = shape.snapshot == SnapshotForm::bf16 ? ElementType::bf16 : bank_type;
    request.snapshot =
        tensor_of(outputs.snapshot.data(), rows, {shape.snapshot_rows(), shape.head_dim});
  }
  if (is_quantized(shape.snapshot)) {
    request.payload = tensor_of(outputs.payload.data(), ElementType::u8,
                                {shape.snapshot_rows(), shape.snapshot_row_bytes()});
    request.scale = tensor_of(outputs.scale.data(), ElementType::f32, {shape.snapshot_rows()});
  }
  request.num_parallel = shape.num_parallel;
  request.chunk_size = shape.chunk_size;
  request.delta_v_step_rows = shape.delta_v_step_rows;
  request.snapshot_step = shape.snapshot == SnapshotForm::none ? 0 : shape.num_parallel;
  request.warps_per_block = shape.warps_per_block;
  request.blocks_per_chunk = shape.blocks_per_chunk;
  return request;
}

Sizes sizes_of(const ProblemShape& shape) {
  return {shape.bank_type,
          shape.snapshot,
          make_head(shape.head_dim, shape.bank_type),
          shape.slots,
          shape.num_chunks,
          shape.positions,
          shape.num_parallel,
          shape.chunk_size,
          shape.warps_per_block,
          shape.blocks_per_chunk,
          shape.delta_v_rows,
          false};
}

}  // namespace chainwalk::plan
