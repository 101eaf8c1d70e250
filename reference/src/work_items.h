// SPDX-License-Identifier: Apache-2.0
// How a step is cut among threads: runs of tiles, and columns where tiles are too few. Any cut
// gives the same bits (TIL-5, DET-1): tiles are independent by the single-writer rule (REC-5), and
// the walk is column by column but for the amax of quantized rows (QNT-2).
#pragma once

#include <cstdint>
#include <vector>

#include "chainwalk/reference/rules.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Tiles [tile_begin, tile_end) of one stream, over some columns.
struct WorkItem {
  std::int64_t stream;
  std::int64_t tile_begin;
  std::int64_t tile_end;
  ColumnRange columns;
};

// All items of step `step`; together they hold every tile and column once.
std::vector<WorkItem> work_items(const Problem& problem, std::int64_t step, unsigned threads);

}  // namespace chainwalk::reference
