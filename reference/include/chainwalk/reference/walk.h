// SPDX-License-Identifier: Apache-2.0
// The walk of one tile: every group that stores makes its snapshot row, then updates its bank row
// (ARI-2, SNP-1 to SNP-4, QNT-1, QNT-7, BIG-1, BIG-2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "chainwalk/reference/groups.h"
#include "chainwalk/reference/quantize.h"
#include "chainwalk/reference/rules.h"
#include "chainwalk/reference/snapshot.h"
#include "chainwalk/reference/update.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// How whole rows are handled: one column after the other, by the rules alone. Another class with
// these functions may give the same bits faster.
template <typename Rules>
class ColumnwiseRows {
 public:
  explicit ColumnwiseRows(const Rules& rules) : rules_(rules) {}

  void update(const ChunkView& chunk, const GroupView& group, std::byte* bank_row,
              ColumnRange columns) const {
    update_row(rules_, chunk, group, bank_row, columns);
  }
  void narrow(const std::byte* bank_row, std::byte* snapshot_row, ColumnRange columns) const {
    narrow_row(rules_, bank_row, snapshot_row, columns);
  }
  float quantize(const ProblemShape& shape, const std::byte* bank_row,
                 std::byte* payload_row) const {
    return quantize_row(rules_, shape, bank_row, payload_row);
  }

 private:
  const Rules& rules_;
};

// Writes the snapshot row of one group (SNP-1); no other row is written (SNP-4). Quantized rows
// need all columns at once (QNT-2).
template <typename Rules, typename Rows>
void write_snapshot_row(const Rules& rules, const ChunkView& chunk, const GroupView& group,
                        const std::byte* bank_row, ColumnRange columns, const Outputs& outputs,
                        Rows& rows) {
  const ProblemShape& shape = chunk.problem.shape;
  if (shape.snapshot == SnapshotForm::none) return;
  const std::int64_t row = rules.snapshot_row(shape, chunk.step, chunk.stream, group.ordinal);
  const std::uint64_t offset = rules.row_offset(row, shape.snapshot_row_bytes());
  if (shape.snapshot == SnapshotForm::raw) {
    copy_raw_row(bank_row, outputs.snapshot.data() + offset, element_size(shape.bank_type),
                 columns);
  } else if (shape.snapshot == SnapshotForm::bf16) {
    rows.narrow(bank_row, outputs.snapshot.data() + offset, columns);
  } else {
    outputs.scale[static_cast<std::size_t>(row)] =
        rows.quantize(shape, bank_row, outputs.payload.data() + offset);
  }
}

// One group that stores.
template <typename Rules, typename Rows>
void write_group(const Rules& rules, const ChunkView& chunk, const GroupView& group,
                 ColumnRange columns, const Outputs& outputs, Rows& rows) {
  const ProblemShape& shape = chunk.problem.shape;
  const std::int64_t slot = rules.slot(group.members);
  std::byte* bank_row = outputs.bank.data() + rules.row_offset(slot, shape.bank_row_bytes());
  const bool snapshot_first = rules.snapshot_precedes_store();
  if (snapshot_first) {
    write_snapshot_row(rules, chunk, group, bank_row, columns, outputs, rows);
  }
  rows.update(chunk, group, bank_row, rules.columns(shape, slot, columns));
  if (!snapshot_first) {
    write_snapshot_row(rules, chunk, group, bank_row, columns, outputs, rows);
  }
}

// One tile. By the single-writer rule (REC-5) the tiles of a step may be walked in any order, at
// once, with the same bits (TIL-5, DET-1).
template <typename Rules, typename Rows>
void walk_tile(const Rules& rules, const ChunkView& chunk, std::int64_t tile, ColumnRange columns,
               const Outputs& outputs, Rows& rows) {
  for_each_group(rules, chunk, tile, [&](const GroupView& group) {
    if (group.stores) write_group(rules, chunk, group, columns, outputs, rows);
  });
}

// One step, every column, on the calling thread: the shortest way to run other rules.
template <typename Rules>
void walk_step(const Rules& rules, const Problem& problem, std::int64_t step,
               const Outputs& outputs) {
  ColumnwiseRows<Rules> rows(rules);
  const ColumnRange columns{0, problem.shape.head_dim};
  for (std::int64_t stream = 0; stream < problem.shape.num_parallel; ++stream) {
    const ChunkView chunk(problem, step, stream);
    for (std::int64_t tile = 0; tile < problem.shape.tiles_per_chunk(); ++tile) {
      walk_tile(rules, chunk, tile, columns, outputs, rows);
    }
  }
}

}  // namespace chainwalk::reference
