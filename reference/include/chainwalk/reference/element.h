// SPDX-License-Identifier: Apache-2.0
// Elements of a bank row as f32 and back (NUM-4, ARI-3, BIG-1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/types.h"

namespace chainwalk::reference {

// Bits at element `column` of a row of T; rows need no alignment.
template <typename T>
T load_bits(const std::byte* row, std::int64_t column) {
  T bits;
  std::memcpy(&bits, row + static_cast<std::size_t>(column) * sizeof(T), sizeof(T));
  return bits;
}
template <typename T>
void store_bits(std::byte* row, std::int64_t column, T bits) {
  std::memcpy(row + static_cast<std::size_t>(column) * sizeof(T), &bits, sizeof(T));
}

// NUM-4: a bf16 element widens exactly.
inline float load_element(BankType type, const std::byte* row, std::int64_t column) {
  if (type == BankType::bf16) return bf16_widen(load_bits<std::uint16_t>(row, column));
  return f32_from_bits(load_bits<std::uint32_t>(row, column));
}

// ARI-3: stored in the bank's type.
template <typename Rules>
void store_element(const Rules& rules, BankType type, std::byte* row, std::int64_t column,
                   float out) {
  if (type == BankType::bf16) {
    store_bits<std::uint16_t>(row, column, rules.store_bf16(out));
  } else {
    store_bits<std::uint32_t>(row, column, rules.store_f32(out));
  }
}

}  // namespace chainwalk::reference
