// SPDX-License-Identifier: Apache-2.0
// Snapshot rows of the bank's type and bf16 rows of f32 banks (SNP-1 to SNP-4).
#pragma once

#include "bank_row.h"

CW_NAMESPACE_BEGIN

template <class M, class Lane>
CW_DEVICE void store_snapshot_row(const WalkParameters& p, const Lane& columns,
                                  const BaseRow<M, Lane>& base, std::int64_t row) {
  constexpr bool raw = M::traits.snapshot == SnapshotForm::raw;
  constexpr BankType type = raw ? M::bank : BankType::bf16;
  constexpr int bytes = type == BankType::bf16 ? 2 : 4;
  auto* address =
      static_cast<unsigned char*>(p.snapshot) + row * (std::int64_t{row_columns<Lane>(p)} * bytes);
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    if (!columns.has(r)) continue;
    if constexpr (raw) {
      store_elements_streaming(address + columns.first[r] * bytes, base.part[r]);
    } else {
      float value[Lane::vector];
      CW_UNROLL
      for (int v = 0; v < Lane::vector; ++v) value[v] = base.part[r].value(v);
      store_elements_streaming(address + columns.first[r] * bytes, pack<type, Lane::vector>(value));
    }
  }
}

CW_NAMESPACE_END
