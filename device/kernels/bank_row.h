// SPDX-License-Identifier: Apache-2.0
// A lane's share of a bank row: read before the group's own store, updated, and stored once (ARI-2,
// ARI-3, SRC-1, BIG-1, GEO-3).
#pragma once

#include "columns.h"
#include "elements.h"
#include "member.h"
#include "parameters.h"

CW_NAMESPACE_BEGIN

// The pre-write elements of a lane's columns; zeros where a vector is not there.
template <class M, class Lane>
struct BaseRow {
  Packed<M::bank, Lane::vector> part[Lane::vectors];
};

// The columns of a row: a constant where a lane's type knows them.
template <class Lane>
CW_DEVICE std::int32_t row_columns(const WalkParameters& p) {
  if constexpr (Lane::row > 0) {
    return Lane::row;
  } else {
    return p.head_dim;
  }
}

template <class M, class Lane>
CW_DEVICE unsigned char* bank_row(const WalkParameters& p, std::uint32_t slot) {
  const auto row_bytes =
      static_cast<std::uint32_t>(row_columns<Lane>(p)) * (M::bank == BankType::bf16 ? 2U : 4U);
  auto* bank = static_cast<unsigned char*>(p.bank);
  if constexpr (M::traits.offset_bits == 32 || M::has(Fault::offset_of_32_bits)) {
    return bank + slot * row_bytes;
  } else {
    return bank + static_cast<std::uint64_t>(slot) * row_bytes;
  }
}
template <class M>
CW_DEVICE std::int32_t column_bytes(std::int32_t column) {
  return column * (M::bank == BankType::bf16 ? 2 : 4);
}

// Nothing is read, and `slot` may be anything, where the row is not `there` (REC-5).
template <class M, class Lane>
CW_DEVICE BaseRow<M, Lane> load_bank_row(const WalkParameters& p, const Lane& columns,
                                         std::uint32_t slot, bool there = true) {
  const unsigned char* row = bank_row<M, Lane>(p, there ? slot : 0);
  BaseRow<M, Lane> base;
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    const bool has = columns.has(r) || M::has(Fault::load_past_row);
    base.part[r] = load_elements_if<M::bank, Lane::vector>(
        there && has, row + column_bytes<M>(has ? columns.first[r] : 0));
  }
  return base;
}

// ARI-2: out = fma(base, decay, acc), rounded once to the bank's type and stored once.
template <class M, class Lane>
CW_DEVICE void update_bank_row(const WalkParameters& p, const Lane& columns,
                               const BaseRow<M, Lane>& base, const float* acc, std::uint32_t slot,
                               float decay) {
  unsigned char* row = bank_row<M, Lane>(p, slot);
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    float out[Lane::vector];
    CW_UNROLL
    for (int v = 0; v < Lane::vector; ++v) {
      out[v] = fma_rn(base.part[r].value(v), decay, acc[r * Lane::vector + v]);
    }
    if (columns.has(r) || M::has(Fault::store_past_row)) {
      store_elements(row + column_bytes<M>(columns.first[r]), pack<M::bank, Lane::vector>(out));
    }
  }
}

CW_NAMESPACE_END
