// SPDX-License-Identifier: Apache-2.0
// The columns of a row that a lane owns: R vectors of V columns each (GEO-3, GEO-7).
#pragma once

#include <cstdint>

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Vector r covers columns first[r] .. first[r] + V - 1 of the row. It is there as a whole or not at
// all, since V divides the head; no address is formed of one that is not (GEO-7). `adjacent`: the
// vectors of a lane lie side by side, so that two of them share a byte of int4 rows. `row`: columns
// of the row where the type knows them, 0 where it does not.
template <int V, int R, bool masked_, bool adjacent_, int row_ = 0>
struct Columns {
  static constexpr int vector = V;
  static constexpr int vectors = R;
  static constexpr int count = V * R;
  static constexpr bool adjacent = adjacent_;
  static constexpr bool masked = masked_;
  static constexpr int row = row_;

  std::int32_t first[R];
  unsigned present;  // bit r: vector r is there

  CW_DEVICE bool has(int r) const { return !masked_ || ((present >> r) & 1U) != 0; }
};

// Vectors `stride` columns apart from `begin`; those that start before `end` are there.
template <class Lane>
CW_DEVICE Lane make_columns(std::int32_t begin, std::int32_t stride, std::int32_t end) {
  Lane columns;
  columns.present = 0;
  CW_UNROLL
  for (int r = 0; r < Lane::vectors; ++r) {
    columns.first[r] = begin + r * stride;
    columns.present |= columns.first[r] < end ? 1U << static_cast<unsigned>(r) : 0U;
  }
  return columns;
}

CW_NAMESPACE_END
