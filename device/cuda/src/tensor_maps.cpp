// SPDX-License-Identifier: Apache-2.0
// Tensor maps through the driver's entry point, so that nothing links the driver (SRC-2, PLN-4).
#include "tensor_maps.h"

#include <cuda.h>

#include <cstring>

#include "geometry.h"
#include "image.h"

namespace chainwalk::cuda {
namespace {

using Encode = decltype(&cuTensorMapEncodeTiled);

Encode encoder() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault,
                                         &result),
        "cudaGetDriverEntryPointByVersion");
  if (result != cudaDriverEntryPointSuccess || entry == nullptr) {
    throw CudaError({"cudaGetDriverEntryPointByVersion", {}, {}}, 0,
                    "the driver has no cuTensorMapEncodeTiled", false);
  }
  return reinterpret_cast<Encode>(entry);
}

struct Matrix {
  const char* name;
  void* data;
  CUtensorMapDataType type;
  std::int64_t element_bytes;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t box_rows;
  std::int64_t box_columns;
};

device::TensorMap encode(const Matrix& matrix, const plan::Plan& plan) {
  // The driver describes no matrix of no rows, and no step of such a plan reads one.
  if (matrix.rows == 0) return {};
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(matrix.columns),
                               static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(matrix.columns * matrix.element_bytes)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(matrix.box_columns),
                             static_cast<cuuint32_t>(matrix.box_rows)};
  const cuuint32_t element_strides[2] = {1, 1};
  CUtensorMap map;
  const CUresult result =
      encoder()(&map, matrix.type, 2, matrix.data, sizes, strides, box, element_strides,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw CudaError({"cuTensorMapEncodeTiled", std::string(device::kernel_family[plan.kernel].name),
                     geometry_text(plan)},
                    static_cast<int>(result),
                    std::string("the map of ") + matrix.name + ", [" + std::to_string(matrix.rows) +
                        ", " + std::to_string(matrix.columns) + "] in boxes of [" +
                        std::to_string(matrix.box_rows) + ", " +
                        std::to_string(matrix.box_columns) + "], was refused",
                    false);
  }
  device::TensorMap encoded;
  static_assert(sizeof(encoded) == sizeof(map));
  std::memcpy(&encoded, &map, sizeof(map));
  return encoded;
}

}  // namespace

void encode_tensor_maps(const plan::Plan& plan, const plan::Request& request,
                        device::WalkParameters& parameters) {
  const device::KernelTraits& kernel = device::kernel_family[plan.kernel];
  const std::int64_t columns = parameters.head_dim;
  if (device::uses_token_map(kernel, parameters.slices)) {
    std::int64_t elements = 1;
    for (std::int32_t i = 0; i < request.delta_v.rank; ++i) {
      elements *= request.delta_v.shape[static_cast<std::size_t>(i)];
    }
    parameters.token_map =
        encode({"token rows", request.delta_v.data, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4,
                elements / columns, columns, parameters.chunk_size, parameters.slice_width},
               plan);
  }
  if (device::uses_row_map(kernel, parameters)) {
    const bool bf16 = kernel.bank == BankType::bf16;
    parameters.row_map = encode(
        {"snapshot rows", request.snapshot.data,
         bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, bf16 ? 2 : 4,
         request.snapshot.shape[0], columns, device::ring_unit_rows, parameters.slice_width},
        plan);
  }
}

}  // namespace chainwalk::cuda
