// SPDX-License-Identifier: Apache-2.0
// Whole rows by vector kernels: the same bits as ColumnwiseRows<SpecRules> (walk.h), faster.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chainwalk/reference/walk.h"
#include "row_ahead.h"
#include "row_kernels.h"
#include "work_items.h"

namespace chainwalk::reference {

// Rows of one work item. Scratch is a fixed few KiB, whatever the sizes of heads and groups.
class VectorRows {
 public:
  VectorRows(const RowKernels& kernels, const ChunkView& chunk, const WorkItem& item,
             const Outputs& outputs)
      : kernels_(kernels), ahead_(chunk, item, outputs) {}

  void update(const ChunkView& chunk, const GroupView& group, std::byte* bank_row,
              ColumnRange columns);
  void narrow(const std::byte* bank_row, std::byte* snapshot_row, ColumnRange columns) const;
  float quantize(const ProblemShape& shape, const std::byte* bank_row, std::byte* payload_row);

 private:
  static constexpr std::size_t piece_members = 256;
  static constexpr std::int64_t piece_columns = 2048;

  std::int64_t gather(const ChunkView& chunk, const GroupView& group, std::size_t from);
  void update_long_group(const ChunkView& chunk, const GroupView& group, RowUpdate update);

  const RowKernels& kernels_;
  SpecRules rules_;
  RowAhead ahead_;
  std::array<KernelMember, piece_members> members_;
  alignas(64) std::array<float, piece_columns> accumulators_;
  std::array<std::uint8_t, piece_columns> codes_;
};

}  // namespace chainwalk::reference
