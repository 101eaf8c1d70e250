// SPDX-License-Identifier: Apache-2.0
// Dense snapshot rows: the pre-write row as it is, or rounded to bf16 (SNP-2, SNP-3, NUM-2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "chainwalk/reference/element.h"
#include "chainwalk/reference/rules.h"

namespace chainwalk::reference {

// SNP-2, NUM-2: bits unchanged, NaN payloads too.
inline void copy_raw_row(const std::byte* bank_row, std::byte* snapshot_row, std::int64_t element,
                         ColumnRange columns) {
  std::memcpy(snapshot_row + columns.begin * element, bank_row + columns.begin * element,
              static_cast<std::size_t>((columns.end - columns.begin) * element));
}

// SNP-3: a row of an f32 bank, each column rounded to bf16.
template <typename Rules>
void narrow_row(const Rules& rules, const std::byte* bank_row, std::byte* snapshot_row,
                ColumnRange columns) {
  for (std::int64_t column = columns.begin; column < columns.end; ++column) {
    const float base = load_element(BankType::f32, bank_row, column);
    store_bits<std::uint16_t>(snapshot_row, column, rules.snapshot_bf16(base));
  }
}

}  // namespace chainwalk::reference
