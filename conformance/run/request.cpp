// SPDX-License-Identifier: Apache-2.0
// Requests from the sizes of a problem.
#include "chainwalk/conformance/request.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace chainwalk::conformance {

cw_tensor contiguous_tensor(void* data, std::int32_t type,
                            std::initializer_list<std::int64_t> shape) {
  cw_tensor tensor{};
  tensor.data = data;
  tensor.type = type;
  tensor.rank = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), std::begin(tensor.shape));
  std::int64_t stride = 1;
  for (std::size_t back = shape.size(); back-- > 0;) {
    tensor.stride[back] = stride;
    if (__builtin_mul_overflow(stride, tensor.shape[back], &stride)) {
      stride = std::numeric_limits<std::int64_t>::max();
    }
  }
  return tensor;
}

void fill_sizes(cw_request& request, const ProblemShape& shape, const cw_geometry& geometry) {
  request.size = sizeof(cw_request);
  request.snapshot_form = static_cast<std::int32_t>(shape.snapshot);
  request.num_parallel = shape.num_parallel;
  request.chunk_size = shape.chunk_size;
  request.delta_v_step_rows = shape.delta_v_step_rows;
  request.snapshot_step = shape.num_parallel;
  request.warps_per_block = shape.warps_per_block;
  request.blocks_per_chunk = shape.blocks_per_chunk;
  request.geometry = geometry;
}

}  // namespace chainwalk::conformance
