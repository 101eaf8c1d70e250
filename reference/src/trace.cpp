// SPDX-License-Identifier: Apache-2.0
// One column of one group, step by step, by the same rules as the walk (ARI, SNP, QNT).
#include "chainwalk/reference/trace.h"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/reference/walk.h"
#include "float_environment.h"

namespace chainwalk::reference {
namespace {

void require_index(const char* argument, std::int64_t value, std::int64_t count) {
  if (value >= 0 && value < count) return;
  const std::string range =
      count > 0 ? "it must be in 0.." + std::to_string(count - 1) : "the problem has none";
  throw std::out_of_range(std::string(argument) + " is " + std::to_string(value) + "; " + range);
}

// Calls `visit(group)` for every group of a chunk, tile after tile.
template <typename Visit>
void for_each_group_of(const ChunkView& chunk, const Visit& visit) {
  for (std::int64_t tile = 0; tile < chunk.problem.shape.tiles_per_chunk(); ++tile) {
    for_each_group(SpecRules{}, chunk, tile, visit);
  }
}

GroupView find_group(const ChunkView& chunk, std::int64_t wanted) {
  std::vector<GroupView> groups;
  for_each_group_of(chunk, [&](const GroupView& group) { groups.push_back(group); });
  require_index("group", wanted, static_cast<std::int64_t>(groups.size()));
  return groups[static_cast<std::size_t>(wanted)];
}

// The row of a slot as step `step` finds it.
std::vector<std::byte> row_before(const Problem& problem, std::int64_t step, std::uint32_t slot) {
  const SpecRules rules;
  const ProblemShape& shape = problem.shape;
  const auto bytes = static_cast<std::size_t>(shape.bank_row_bytes());
  const auto first =
      problem.bank_before.subspan(rules.row_offset(slot, shape.bank_row_bytes()), bytes);
  std::vector<std::byte> row(first.begin(), first.end());
  for (std::int64_t chunk = 0; chunk < shape.chunk(step, 0); ++chunk) {
    const ChunkView earlier(problem, chunk / shape.num_parallel, chunk % shape.num_parallel);
    for_each_group_of(earlier, [&](const GroupView& group) {
      if (!group.stores || rules.slot(group.members) != slot) return;
      update_row(rules, earlier, group, row.data(), {0, shape.head_dim});
    });
  }
  return row;
}

void trace_members(const ChunkView& chunk, const GroupView& group, Trace& trace) {
  const SpecRules rules;
  const ProblemShape& shape = chunk.problem.shape;
  float accumulator = rules.accumulator_start();
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const Record& record = group.members[i];
    TraceMember member{};
    member.position = group.begin + static_cast<std::int64_t>(i);
    member.raw_token = raw_token(record);
    member.token = rules.token(record, shape);
    member.token_row = rules.token_row(shape, chunk.step, chunk.stream, member.token);
    member.scale = f32_from_bits(record.scale);
    member.token_value = rules.token_value(chunk.problem, member.token_row, trace.column);
    member.acc_before = accumulator;
    accumulator = rules.member(member.scale, member.token_value, accumulator);
    member.acc_after = accumulator;
    trace.members.push_back(member);
  }
}

void trace_store(const ProblemShape& shape, const GroupView& group, const std::byte* row,
                 Trace& trace) {
  const SpecRules rules;
  trace.slot = rules.slot(group.members);
  trace.decay = rules.decay(group.members);
  trace.base = load_element(shape.bank_type, row, trace.column);
  trace.out = rules.output(trace.base, trace.decay, trace.members.back().acc_after);
  trace.stored_bits =
      shape.bank_type == BankType::bf16 ? rules.store_bf16(trace.out) : rules.store_f32(trace.out);
}

void trace_snapshot(const ChunkView& chunk, const GroupView& group, const std::byte* row,
                    Trace& trace) {
  const SpecRules rules;
  const ProblemShape& shape = chunk.problem.shape;
  if (shape.snapshot == SnapshotForm::none) return;
  trace.snapshot_row = rules.snapshot_row(shape, chunk.step, chunk.stream, group.ordinal);
  if (shape.snapshot == SnapshotForm::raw) {
    trace.snapshot_bits = shape.bank_type == BankType::bf16
                              ? load_bits<std::uint16_t>(row, trace.column)
                              : load_bits<std::uint32_t>(row, trace.column);
  } else if (shape.snapshot == SnapshotForm::bf16) {
    trace.snapshot_bits = rules.snapshot_bf16(trace.base);
  } else {
    const float amax = row_amax(rules, shape, row);
    const float scale = rules.quantizer_scale(amax, shape.snapshot);
    trace.amax = amax;
    trace.quantizer_scale = scale;
    trace.quotient = rules.quotient(trace.base, scale);
    trace.snapshot_bits = column_code(rules, shape, row, trace.column, scale);
  }
}

}  // namespace

Trace trace_column(const Problem& problem, std::int64_t chunk, std::int64_t group,
                   std::int64_t column) {
  const DefaultFloatEnvironment environment;
  const ProblemShape& shape = problem.shape;
  require_index("chunk", chunk, shape.steps() * shape.num_parallel);
  require_index("column", column, shape.head_dim);
  const ChunkView view(problem, chunk / shape.num_parallel, chunk % shape.num_parallel);
  const GroupView traced = find_group(view, group);

  Trace trace{};
  trace.chunk = chunk;
  trace.step = view.step;
  trace.stream = view.stream;
  trace.group = group;
  trace.column = column;
  trace.tile = traced.tile;
  trace.valid = traced.stores;
  trace_members(view, traced, trace);
  if (traced.stores) {
    const std::vector<std::byte> row =
        row_before(problem, view.step, SpecRules{}.slot(traced.members));
    trace_store(shape, traced, row.data(), trace);
    trace_snapshot(view, traced, row.data(), trace);
  }
  return trace;
}

}  // namespace chainwalk::reference
