// SPDX-License-Identifier: Apache-2.0
// Looking ahead in the records of a work item.
#include "row_ahead.h"

#include <algorithm>

#include "chainwalk/platform/memory.h"

namespace chainwalk::reference {
namespace {

// How far ahead the lines of a row are fetched: far enough to come in time, near enough to be still
// in the first-level cache when they are used. `chainwalk bench reference` measures it.
constexpr std::int64_t bytes_ahead = 4096;
constexpr std::int64_t rows_ahead_max = 8;

// Longer rows are streams of their own, which the processor follows by itself.
constexpr std::int64_t row_bytes_max = 16384;

// Fetches one line of every page that a row has a part in.
void touch_pages(const std::byte* row, std::int64_t row_bytes) {
  constexpr auto page = static_cast<std::uintptr_t>(platform::Mapping::page_size);
  const std::byte* end = row + row_bytes;
  while (row < end) {
    __builtin_prefetch(row, 0, 3);
    row += page - reinterpret_cast<std::uintptr_t>(row) % page;
  }
}

}  // namespace

RowAhead::RowAhead(const ChunkView& chunk, const WorkItem& item, const Outputs& outputs)
    : bank_(outputs.bank.data()), row_bytes_(chunk.problem.shape.bank_row_bytes()) {
  if (row_bytes_ > row_bytes_max) return;
  const auto bound = [&](std::int64_t tile) {
    return static_cast<std::size_t>(chunk.tile_bounds[static_cast<std::size_t>(tile)]);
  };
  const std::size_t begin = bound(item.tile_begin);
  records_ = chunk.records.subspan(begin, bound(item.tile_end) - begin);
  const std::int64_t distance =
      std::clamp<std::int64_t>(bytes_ahead / row_bytes_, 1, rows_ahead_max);
  for (std::int64_t row = 0; row < distance; ++row) find_row();
}

void RowAhead::touch_next_rows() {
  for (const std::byte*& row : rows_) {
    row = find_row();
    if (row != nullptr) touch_pages(row, row_bytes_);
  }
  taken_ = 0;
}

const std::byte* RowAhead::find_row() {
  while (!records_.empty()) {
    const Record& record = records_.front();
    records_ = records_.subspan(1);
    if (is_last(record) && !is_invalid(record)) {
      return bank_ + static_cast<std::int64_t>(record.slot) * row_bytes_;
    }
  }
  return nullptr;
}

}  // namespace chainwalk::reference
