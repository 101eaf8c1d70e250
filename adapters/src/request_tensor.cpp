// SPDX-License-Identifier: Apache-2.0
// Extents and strides of a request's tensors, without a product that overflows (PLN-7).
#include "request_tensor.h"

#include <algorithm>
#include <limits>

namespace chainwalk::adapters {
namespace {

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();

// No factor is negative.
std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::int64_t b) {
  if (!a || (b != 0 && *a > int64_max / b)) return std::nullopt;
  return *a * b;
}

std::optional<std::int64_t> elements_of(const cw_tensor& tensor) {
  const std::int64_t* end = tensor.shape + tensor.rank;
  if (!is_given(tensor) || std::find(tensor.shape, end, 0) != end) return 0;
  std::optional<std::int64_t> count = 1;
  for (const std::int64_t* extent = tensor.shape; extent != end; ++extent)
    count = product(count, *extent);
  return count;
}

}  // namespace

bool is_sane(const cw_tensor& tensor) {
  return tensor.rank >= 0 && tensor.rank <= 3 &&
         std::all_of(tensor.shape, tensor.shape + tensor.rank,
                     [](std::int64_t extent) { return extent >= 0; });
}

std::int64_t numel(const cw_tensor& tensor) { return elements_of(tensor).value_or(int64_max); }

std::optional<std::int64_t> bytes_of(const cw_tensor& tensor) {
  return product(elements_of(tensor), element_bytes(tensor.type));
}

std::int64_t element_bytes(std::int32_t type) {
  return type == CW_BF16 ? 2 : type == CW_U8 ? 1 : 4;
}

bool is_contiguous(const cw_tensor& tensor) {
  if (!is_sane(tensor)) return false;
  if (is_given(tensor) && numel(tensor) == 0) return true;
  std::optional<std::int64_t> stride = 1;
  for (std::int32_t i = tensor.rank; i-- > 0;) {
    if (tensor.shape[i] == 1) continue;
    if (!stride || tensor.stride[i] != *stride) return false;
    stride = product(stride, tensor.shape[i]);
  }
  return true;
}

}  // namespace chainwalk::adapters
