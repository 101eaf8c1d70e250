// SPDX-License-Identifier: Apache-2.0
// The update of one bank row by one group, column by column (ARI-1, ARI-2, ARI-3, ARI-6, ARI-7).
#pragma once

#include <cstddef>
#include <cstdint>

#include "chainwalk/reference/element.h"
#include "chainwalk/reference/groups.h"
#include "chainwalk/reference/rules.h"

namespace chainwalk::reference {

// ARI-1: the accumulator of one column after every member.
template <typename Rules>
float chain_column(const Rules& rules, const ChunkView& chunk, const GroupView& group,
                   std::int64_t column) {
  const ProblemShape& shape = chunk.problem.shape;
  const auto apply = [&](std::int64_t i, float accumulator) {
    const Record& record = group.members[static_cast<std::size_t>(i)];
    const std::int64_t row =
        rules.token_row(shape, chunk.step, chunk.stream, rules.token(record, shape));
    return rules.member(f32_from_bits(record.scale), rules.token_value(chunk.problem, row, column),
                        accumulator);
  };
  return rules.chain(static_cast<std::int64_t>(group.members.size()), rules.accumulator_start(),
                     apply);
}

// ARI-2, ARI-3: each column of `row` is read, then written once.
template <typename Rules>
void update_row(const Rules& rules, const ChunkView& chunk, const GroupView& group, std::byte* row,
                ColumnRange columns) {
  const BankType type = chunk.problem.shape.bank_type;
  const float decay = rules.decay(group.members);
  for (std::int64_t column = columns.begin; column < columns.end; ++column) {
    const float base = load_element(type, row, column);
    const float accumulator = chain_column(rules, chunk, group, column);
    store_element(rules, type, row, column, rules.output(base, decay, accumulator));
  }
}

}  // namespace chainwalk::reference
