// SPDX-License-Identifier: Apache-2.0
// Looking ahead in the records of a work item.
#include "row_ahead.h"

#include <algorithm>

namespace chainwalk::reference {
namespace {

// Bytes of bank rows in flight at a time, and the most rows that may be. Measured (`chainwalk bench
// reference`): fewer bytes leave memory idle, more are evicted from the first-level cache before
// they are used.
constexpr std::int64_t bytes_ahead = 8192;
constexpr std::int64_t rows_ahead_max = 16;

// Rows longer than that are streams of their own, which the processor follows by itself.
constexpr std::int64_t row_bytes_max = 16384;

}  // namespace

RowAhead::RowAhead(const ChunkView& chunk, const WorkItem& item, const Outputs& outputs)
    : bank_(outputs.bank.data()),
      row_bytes_(static_cast<std::uint64_t>(chunk.problem.shape.bank_row_bytes())) {
  const std::int64_t row_bytes = chunk.problem.shape.bank_row_bytes();
  if (row_bytes > row_bytes_max) return;
  const auto bound = [&](std::int64_t tile) {
    return static_cast<std::size_t>(chunk.tile_bounds[static_cast<std::size_t>(tile)]);
  };
  const std::size_t begin = bound(item.tile_begin);
  records_ = chunk.records.subspan(begin, bound(item.tile_end) - begin);
  const std::int64_t distance =
      std::clamp<std::int64_t>(bytes_ahead / row_bytes, 1, rows_ahead_max);
  for (std::int64_t row = 0; row < distance; ++row) next();
}

const std::byte* RowAhead::next() {
  while (!records_.empty()) {
    const Record& record = records_.front();
    records_ = records_.subspan(1);
    if (is_last(record) && !is_invalid(record)) return bank_ + record.slot * row_bytes_;
  }
  return nullptr;
}

}  // namespace chainwalk::reference
