// SPDX-License-Identifier: Apache-2.0
// Rows by vector kernels: members gathered for them, long groups in pieces, codes packed (ARI-1,
// ARI-6, ARI-7, SNP-3, QNT-2 to QNT-6, QNT-10).
#include "vector_rows.h"

#include <algorithm>

namespace chainwalk::reference {
namespace {

std::size_t index_of(BankType type) { return type == BankType::bf16 ? 0 : 1; }

}  // namespace

// Resolves the token rows of the members from `from` on, as many as there is room for.
inline std::int64_t VectorRows::gather(const ChunkView& chunk, const GroupView& group,
                                       std::size_t from) {
  const ProblemShape& shape = chunk.problem.shape;
  const std::size_t count = std::min(piece_members, group.members.size() - from);
  for (std::size_t i = 0; i < count; ++i) {
    const Record& record = group.members[from + i];
    const std::int64_t row =
        rules_.token_row(shape, chunk.step, chunk.stream, rules_.token(record, shape));
    members_[i] = {chunk.problem.delta_v.data() + rules_.row_offset(row, shape.head_dim),
                   f32_from_bits(record.scale)};
  }
  return static_cast<std::int64_t>(count);
}

void VectorRows::update(const ChunkView& chunk, const GroupView& group, std::byte* bank_row,
                        ColumnRange columns) {
  const RowUpdate update{.bank_row = bank_row,
                         .members = members_.data(),
                         .member_count = gather(chunk, group, 0),
                         .begin = columns.begin,
                         .end = columns.end,
                         .accumulators = accumulators_.data(),
                         .row_ahead = ahead_.next(),
                         .decay = rules_.decay(group.members),
                         .resumes = false,
                         .finishes = true};
  if (group.members.size() > piece_members) {
    update_long_group(chunk, group, update);
  } else {
    kernels_.update[index_of(chunk.problem.shape.bank_type)](update);
  }
}

// The accumulators of some columns are kept in memory from one piece of the members to the next.
void VectorRows::update_long_group(const ChunkView& chunk, const GroupView& group,
                                   RowUpdate update) {
  const ColumnRange columns{update.begin, update.end};
  for (std::int64_t begin = columns.begin; begin < columns.end; begin += piece_columns) {
    update.begin = begin;
    update.end = std::min(columns.end, begin + piece_columns);
    for (std::size_t from = 0; from < group.members.size(); from += piece_members) {
      update.member_count = gather(chunk, group, from);
      update.resumes = from > 0;
      update.finishes = from + piece_members >= group.members.size();
      kernels_.update[index_of(chunk.problem.shape.bank_type)](update);
    }
  }
}

void VectorRows::narrow(const std::byte* bank_row, std::byte* snapshot_row,
                        ColumnRange columns) const {
  kernels_.narrow(bank_row + columns.begin * 4, columns.end - columns.begin,
                  snapshot_row + columns.begin * 2);
}

float VectorRows::quantize(const ProblemShape& shape, const std::byte* bank_row,
                           std::byte* payload_row) {
  const std::size_t type = index_of(shape.bank_type);
  const float amax = kernels_.amax[type](bank_row, shape.head_dim);
  const float scale = rules_.quantizer_scale(amax, shape.snapshot);
  if (shape.snapshot == SnapshotForm::fp8) {
    kernels_.e4m3[type](bank_row, shape.head_dim, scale,
                        reinterpret_cast<std::uint8_t*>(payload_row));
    return scale;
  }
  for (std::int64_t begin = 0; begin < shape.head_dim; begin += piece_columns) {
    const std::int64_t count = std::min(piece_columns, shape.head_dim - begin);
    kernels_.nibble[type](bank_row + begin * element_size(shape.bank_type), count, scale,
                          codes_.data());
    if (count % 2 != 0) codes_[static_cast<std::size_t>(count)] = rules_.missing_nibble();
    for (std::int64_t i = 0; i < count; i += 2) {
      const auto even = static_cast<std::size_t>(i);
      payload_row[(begin + i) / 2] = std::byte{rules_.nibble_pair(codes_[even], codes_[even + 1])};
    }
  }
  return scale;
}

}  // namespace chainwalk::reference
