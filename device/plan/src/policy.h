// SPDX-License-Identifier: Apache-2.0
// When which form is fast (GEO-5's freedom): the figures that the choice of a kernel and of a
// tiling share. None of them changes a bit of the result (GEO-4).
#pragma once

#include <cstdint>

#include "chainwalk/plan/device_class.h"
#include "sizes.h"

namespace chainwalk::plan {

// A lower bound of the mean members of a group of a step: n * P positions over at most `slots`
// groups (REC-5: one valid group a slot). Data is never looked at; real groups may be longer.
inline double mean_group_bound(const Sizes& sizes) {
  return sizes.slots == 0
             ? 0.0
             : static_cast<double>(sizes.positions) * static_cast<double>(sizes.num_parallel) /
                   static_cast<double>(sizes.slots);
}

// Whole rows read a token row through L2 for every member, and each bank row once. Past this bound
// the token rows cost more than the bank rows: column slices keep them in shared memory. Slices
// that quantize read each bank row twice, and are the faster of the two only for longer groups.
inline double whole_rows_group_limit(const Sizes& sizes) {
  return is_quantized(sizes.form) ? 40.0 : 6.0;
}

// Warps an SM needs for whole rows to hide memory latency; with fewer, the slices of a row walk
// side by side instead.
inline constexpr std::int64_t whole_rows_warps_per_sm = 6;

// Positions a tile below which column slices gain nothing by cutting further.
inline constexpr std::int64_t short_tile = 8;

}  // namespace chainwalk::plan
