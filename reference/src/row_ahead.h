// SPDX-License-Identifier: Apache-2.0
// Which bank rows a work item will need soon, so that they can be prefetched.
#pragma once

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

  // To be called once for every group that stores: the bank row of the group that is `distance`
  // groups further on, or null where there is none.
  const std::byte* next();

 private:
  std::span<const Record> records_;  // what is left to look at
  const std::byte* bank_;
  std::uint64_t row_bytes_;
};

}  // namespace chainwalk::reference
