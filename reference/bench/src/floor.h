// SPDX-License-Identifier: Apache-2.0
// The memory floor of a step: its bank rows read and rewritten, its token rows read, no arithmetic.
#pragma once

#include <cstdint>

#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Touches what the walk of step `step` touches (groups of one member; no snapshot), with the lines
// of bank rows fetched `prefetch_rows` rows ahead (0: not at all) and, where `pages_first`, the
// pages of 8 rows looked up together before. Leaves every byte as it was.
struct FloorPrefetch {
  std::int64_t rows;
  bool pages_first;
};
void touch_step(const Problem& problem, std::int64_t step, const Outputs& outputs, unsigned threads,
                FloorPrefetch prefetch);

}  // namespace chainwalk::reference
