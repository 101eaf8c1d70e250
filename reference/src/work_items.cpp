// SPDX-License-Identifier: Apache-2.0
// Cutting a step into work items of about equal numbers of positions (TIL-5, DET-1).
#include "work_items.h"

#include <algorithm>
#include <span>

namespace chainwalk::reference {
namespace {

// Items per thread: enough to even out threads that are slowed down by others on the machine, few
// enough that each has a long run of rows to prefetch in.
constexpr std::int64_t items_per_thread = 8;

// No item is narrower: a cache line and a wide vector of either bank type go whole.
constexpr std::int64_t columns_step = 128;

// Ends of runs of tiles: run i takes the tiles whose begin lies in its share of the positions.
std::vector<std::int64_t> tile_run_ends(std::span<const std::int32_t> bounds, std::int64_t runs) {
  const auto tiles = static_cast<std::int64_t>(bounds.size()) - 1;
  const std::int64_t positions = bounds.back();
  std::vector<std::int64_t> ends;
  for (std::int64_t run = 1; run <= runs; ++run) {
    const std::int64_t target = positions * run / runs;
    const auto after = std::lower_bound(bounds.begin(), bounds.end() - 1, target);
    const std::int64_t end = run == runs ? tiles : after - bounds.begin();
    if (end > (ends.empty() ? 0 : ends.back())) ends.push_back(end);
  }
  return ends;
}

// Column ranges for a stream that has `runs` runs of tiles where `wanted` items were asked for.
std::vector<ColumnRange> column_ranges(const ProblemShape& shape, std::int64_t runs,
                                       std::int64_t wanted) {
  if (is_quantized(shape.snapshot) || runs == 0) return {{0, shape.head_dim}};
  const std::int64_t most = std::max<std::int64_t>(1, shape.head_dim / columns_step);
  const std::int64_t parts = std::clamp<std::int64_t>(wanted / runs, 1, most);
  std::vector<ColumnRange> ranges;
  std::int64_t begin = 0;
  for (std::int64_t part = 1; part <= parts; ++part) {
    const std::int64_t end = part == parts ? shape.head_dim : most * part / parts * columns_step;
    ranges.push_back({begin, end});
    begin = end;
  }
  return ranges;
}

}  // namespace

std::vector<WorkItem> work_items(const Problem& problem, std::int64_t step, unsigned threads) {
  const ProblemShape& shape = problem.shape;
  std::vector<WorkItem> items;
  if (shape.tiles_per_chunk() == 0 || shape.positions == 0) return items;
  const std::int64_t wanted =
      threads == 1 ? 1 : (threads * items_per_thread + shape.num_parallel - 1) / shape.num_parallel;
  for (std::int64_t stream = 0; stream < shape.num_parallel; ++stream) {
    const auto bounds = problem.chunk_tile_bounds(shape.chunk(step, stream));
    const std::vector<std::int64_t> ends = tile_run_ends(bounds, wanted);
    const auto ranges = column_ranges(shape, static_cast<std::int64_t>(ends.size()), wanted);
    for (const ColumnRange& columns : ranges) {
      std::int64_t begin = 0;
      for (const std::int64_t end : ends) {
        items.push_back({stream, begin, end, columns});
        begin = end;
      }
    }
  }
  return items;
}

}  // namespace chainwalk::reference
