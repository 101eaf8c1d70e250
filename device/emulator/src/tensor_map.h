// SPDX-License-Identifier: Apache-2.0
// The emulator's own encoding of 2-D tensor maps, held to the hardware's rules.
#pragma once

#include <cstdint>
#include <string>

#include "parameters.h"
#include "src/state.h"

namespace chainwalk::emulator {

// A row-major tensor and the box that a copy moves. Sizes in elements, the stride in bytes.
struct TensorGeometry {
  std::uint64_t mark = 0;  // of an encoded map
  const unsigned char* base = nullptr;
  std::int64_t columns = 0, rows = 0, row_stride = 0;
  std::int32_t box_columns = 0, box_rows = 0, element_bytes = 0;
};

// Empty when the hardware would take the map; else the rule that it breaks, with the value found.
std::string refuse_tensor_map(const TensorGeometry& geometry);
// Throws std::invalid_argument with refuse_tensor_map's text.
device::TensorMap encode_tensor_map(TensorGeometry geometry);
// Null for bytes that encode_tensor_map did not make. Valid as long as `map`.
const TensorGeometry* decode_tensor_map(const device::TensorMap& map);

// The copy of the box whose first element is (column, row), in bounds or not; no target yet.
BulkCopy box_of(const TensorGeometry& tensor, std::int64_t column, std::int64_t row);

}  // namespace chainwalk::emulator
