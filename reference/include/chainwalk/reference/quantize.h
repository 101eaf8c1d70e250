// SPDX-License-Identifier: Apache-2.0
// Quantized snapshot rows of the pre-write row: amax, scale, codes (QNT-2 to QNT-6, QNT-10).
#pragma once

#include <cstddef>
#include <cstdint>

#include "chainwalk/reference/element.h"
#include "chainwalk/reference/rules.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// QNT-2.
template <typename Rules>
float row_amax(const Rules& rules, const ProblemShape& shape, const std::byte* bank_row) {
  const ColumnRange columns = rules.amax_columns(shape);
  float greatest = rules.amax_start();
  for (std::int64_t column = columns.begin; column < columns.end; ++column) {
    greatest = rules.amax(greatest, load_element(shape.bank_type, bank_row, column));
  }
  return greatest;
}

// QNT-4, then QNT-5 or QNT-6: the code of one column.
template <typename Rules>
std::uint8_t column_code(const Rules& rules, const ProblemShape& shape, const std::byte* bank_row,
                         std::int64_t column, float scale) {
  const float base = load_element(shape.bank_type, bank_row, column);
  const float quotient = rules.quotient(base, scale);
  return shape.snapshot == SnapshotForm::fp8 ? rules.e4m3(quotient) : rules.nibble(quotient);
}

// QNT-5: codes in column order.
template <typename Rules>
void quantize_row_fp8(const Rules& rules, const ProblemShape& shape, const std::byte* bank_row,
                      float scale, std::byte* payload_row) {
  for (std::int64_t column = 0; column < shape.head_dim; ++column) {
    payload_row[column] = std::byte{column_code(rules, shape, bank_row, column, scale)};
  }
}

// QNT-6, QNT-10: two columns a byte.
template <typename Rules>
void quantize_row_int4(const Rules& rules, const ProblemShape& shape, const std::byte* bank_row,
                       float scale, std::byte* payload_row) {
  for (std::int64_t column = 0; column < shape.head_dim; column += 2) {
    const std::uint8_t even = column_code(rules, shape, bank_row, column, scale);
    const std::uint8_t odd = column + 1 < shape.head_dim
                                 ? column_code(rules, shape, bank_row, column + 1, scale)
                                 : rules.missing_nibble();
    payload_row[column / 2] = std::byte{rules.nibble_pair(even, odd)};
  }
}

// QNT-3: quantizes one row and returns its scale.
template <typename Rules>
float quantize_row(const Rules& rules, const ProblemShape& shape, const std::byte* bank_row,
                   std::byte* payload_row) {
  const float scale = rules.quantizer_scale(row_amax(rules, shape, bank_row), shape.snapshot);
  if (shape.snapshot == SnapshotForm::fp8) {
    quantize_row_fp8(rules, shape, bank_row, scale, payload_row);
  } else {
    quantize_row_int4(rules, shape, bank_row, scale, payload_row);
  }
  return scale;
}

}  // namespace chainwalk::reference
