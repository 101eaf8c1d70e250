// SPDX-License-Identifier: Apache-2.0
// Shapes, strides and byte ranges of tensor descriptions (PLN-1, PLN-2, PLN-5, PLN-7).
#include "tensor.h"

#include "arithmetic.h"

namespace chainwalk::plan {
namespace {

struct Range {
  std::uintptr_t begin;
  std::uint64_t bytes;
};

std::optional<Range> range_of(const Tensor& tensor) {
  if (!is_given(tensor)) {
    return std::nullopt;
  }
  const auto bytes = byte_count(tensor);
  if (!bytes || *bytes == 0) {
    return std::nullopt;
  }
  return Range{reinterpret_cast<std::uintptr_t>(tensor.data), static_cast<std::uint64_t>(*bytes)};
}

}  // namespace

bool has_sane_shape(const Tensor& tensor) {
  if (tensor.rank < 0 || tensor.rank > static_cast<std::int32_t>(tensor.shape.size())) {
    return false;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.rank); ++i) {
    if (tensor.shape[i] < 0) {
      return false;
    }
  }
  return true;
}

bool is_contiguous(const Tensor& tensor) {
  const auto rank = static_cast<std::size_t>(tensor.rank);
  for (std::size_t i = 0; i < rank; ++i) {
    if (tensor.shape[i] == 0) {
      return true;
    }
  }
  std::optional<std::int64_t> expected = 1;
  for (std::size_t i = rank; i-- > 0;) {
    if (tensor.shape[i] == 1) {
      continue;
    }
    if (!expected || tensor.stride[i] != *expected) {
      return false;
    }
    expected = product({*expected, tensor.shape[i]});
  }
  return true;
}

std::optional<std::int64_t> element_count(const Tensor& tensor) {
  switch (tensor.rank) {
    case 0: return 0;
    case 1: return tensor.shape[0];
    case 2: return product({tensor.shape[0], tensor.shape[1]});
    default: return product({tensor.shape[0], tensor.shape[1], tensor.shape[2]});
  }
}

std::optional<std::int64_t> byte_count(const Tensor& tensor) {
  const auto count = element_count(tensor);
  return count ? product({*count, element_bytes(tensor.type)}) : std::nullopt;
}

std::int64_t element_bytes(ElementType type) {
  switch (type) {
    case ElementType::bf16: return 2;
    case ElementType::u8: return 1;
    case ElementType::f32:
    case ElementType::i32: break;
  }
  return 4;
}

const char* type_name(ElementType type) {
  switch (type) {
    case ElementType::bf16: return "bf16";
    case ElementType::f32: return "f32";
    case ElementType::i32: return "int32";
    case ElementType::u8: return "uint8";
  }
  return "unknown";
}

std::string shape_text(const Tensor& tensor) {
  std::string text = "[";
  for (std::int32_t i = 0; i < tensor.rank && i < 3; ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(tensor.shape[static_cast<std::size_t>(i)]);
  }
  return text + "]";
}

bool overlaps(const Tensor& a, const Tensor& b) {
  const auto first = range_of(a);
  const auto second = range_of(b);
  if (!first || !second) {
    return false;
  }
  // Differences, since an end may lie past the last address.
  return first->begin <= second->begin ? second->begin - first->begin < first->bytes
                                       : first->begin - second->begin < second->bytes;
}

}  // namespace chainwalk::plan
