// SPDX-License-Identifier: Apache-2.0
// Tensor maps: limits, encoding, and the part of a box that exists.
#include "src/tensor_map.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <stdexcept>

namespace chainwalk::emulator {
namespace {
constexpr std::uint64_t map_mark = 0x5445'4E53'4F52'3244U;
constexpr std::int64_t max_extent = std::int64_t{1} << 32U;
constexpr std::int64_t max_stride = std::int64_t{1} << 40U;
constexpr std::int32_t max_box = 256;
static_assert(sizeof(TensorGeometry) <= sizeof(device::TensorMap));
}  // namespace

std::string refuse_tensor_map(const TensorGeometry& geometry) {
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  if (reinterpret_cast<std::uintptr_t>(geometry.base) % 16 != 0) {
    return "tensor map: the base address is not 16-byte aligned";
  }
  if (geometry.element_bytes != 1 && geometry.element_bytes != 2 && geometry.element_bytes != 4) {
    return "tensor map: elements of " + number(geometry.element_bytes) + " bytes; 1, 2 or 4";
  }
  if (geometry.columns < 1 || geometry.columns > max_extent || geometry.rows < 1 ||
      geometry.rows > max_extent) {
    return "tensor map: " + number(geometry.rows) + " rows of " + number(geometry.columns) +
           " columns; each is 1..2^32";
  }
  if (geometry.row_stride % 16 != 0 || geometry.row_stride < 0 ||
      geometry.row_stride >= max_stride) {
    return "tensor map: a row stride of " + number(geometry.row_stride) +
           " bytes; a multiple of 16 under 2^40";
  }
  if (geometry.box_columns < 1 || geometry.box_columns > max_box || geometry.box_rows < 1 ||
      geometry.box_rows > max_box) {
    return "tensor map: a box of " + number(geometry.box_columns) + " x " +
           number(geometry.box_rows) + "; each side is 1..256";
  }
  if (geometry.box_columns * geometry.element_bytes % 16 != 0) {
    return "tensor map: box rows of " + number(geometry.box_columns * geometry.element_bytes) +
           " bytes; a multiple of 16";
  }
  return {};
}

device::TensorMap encode_tensor_map(TensorGeometry geometry) {
  const std::string refusal = refuse_tensor_map(geometry);
  if (!refusal.empty()) throw std::invalid_argument(refusal);
  geometry.mark = map_mark;
  device::TensorMap map{};
  new (map.bytes) TensorGeometry(geometry);
  return map;
}

const TensorGeometry* decode_tensor_map(const device::TensorMap& map) {
  const auto* geometry = std::launder(reinterpret_cast<const TensorGeometry*>(map.bytes));
  return geometry->mark == map_mark ? geometry : nullptr;
}

BulkCopy box_of(const TensorGeometry& tensor, std::int64_t column, std::int64_t row) {
  BulkCopy copy;
  const std::int64_t size = tensor.element_bytes;
  copy.row_bytes = tensor.box_columns * size;
  copy.rows = tensor.box_rows;
  copy.source_stride = tensor.row_stride;
  // Arithmetic on integers: a box may begin before the tensor does.
  copy.source = reinterpret_cast<const unsigned char*>(
      reinterpret_cast<std::intptr_t>(tensor.base) + row * tensor.row_stride + column * size);
  copy.valid_low = std::clamp<std::int64_t>(-column, 0, tensor.box_columns) * size;
  copy.valid_high = std::clamp<std::int64_t>(tensor.columns - column, 0, tensor.box_columns) * size;
  copy.valid_first_row = std::clamp<std::int64_t>(-row, 0, tensor.box_rows);
  copy.valid_rows_end = std::clamp<std::int64_t>(tensor.rows - row, 0, tensor.box_rows);
  return copy;
}

}  // namespace chainwalk::emulator
