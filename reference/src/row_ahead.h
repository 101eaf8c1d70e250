// SPDX-License-Identifier: Apache-2.0
// Which bank rows a work item will need soon, so that they can be prefetched.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "chainwalk/reference/groups.h"
#include "work_items.h"

namespace chainwalk::reference {

// Walks the records of a work item some groups ahead of the walk itself. A hint only: it changes no
// bits, and rows that it names are rows that the item writes (REC-5).
class RowAhead {
 public:
  RowAhead(const ChunkView& chunk, const WorkItem& item, const Outputs& outputs);

  // To be called once for every group that stores: the bank row of a group some groups further on,
  // or null where there is none.
  const std::byte* next() {
    if (taken_ == rows_.size()) touch_next_rows();
    return rows_[taken_++];
  }

 private:
  // Random rows lie in pages of their own. A prefetch that has to look up its page holds up what
  // follows it, so the pages of several rows are looked up together, which the processor overlaps.
  static constexpr std::size_t rows_at_once = 8;

  void touch_next_rows();
  const std::byte* find_row();

  std::span<const Record> records_;  // what is left to look at
  const std::byte* bank_;
  std::int64_t row_bytes_;
  std::array<const std::byte*, rows_at_once> rows_{};
  std::size_t taken_ = rows_at_once;
};

}  // namespace chainwalk::reference
