// SPDX-License-Identifier: Apache-2.0
// What a page shows of one failure: its problem as a picture and the chain of the column that
// differs first, in hex (ARI, SNP, QNT).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "chainwalk/conformance/chunk_picture.h"
#include "chainwalk/conformance/report.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/reference/trace.h"
#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::conformance {
namespace {

constexpr std::int64_t drawn_positions_max = 256;
constexpr std::size_t members_shown = 24;

struct Place {
  std::int64_t chunk = 0, group = 0, begin = 0;
};

// The group that the differing element belongs to: the first that stores the bank row, or the owner
// of the snapshot row.
std::optional<Place> place_of(const Problem& problem, const Difference& difference) {
  const ProblemShape& shape = problem.shape;
  const std::int64_t running = shape.num_parallel == 0 ? 0 : shape.steps() * shape.num_parallel;
  for (std::int64_t chunk = 0; chunk < running; ++chunk) {
    const auto records = problem.chunk_records(chunk);
    const std::vector<Group> groups = groups_of(records);
    for (std::size_t index = 0; index < groups.size(); ++index) {
      const Group& group = groups[index];
      if (group.ordinal < 0) continue;
      const Record& last = records[static_cast<std::size_t>(group.end - 1)];
      const std::int64_t row =
          difference.tensor == "bank" ? last.slot : chunk * shape.positions + group.ordinal;
      if (row == difference.row) return Place{chunk, static_cast<std::int64_t>(index), group.begin};
    }
  }
  return std::nullopt;
}

std::string hex(float value) { return fmt::format("{:08X}", f32_bits(value)); }

std::string chain_text(const ProblemShape& shape, const reference::Trace& trace) {
  std::string text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "step {}, stream {}, group {}, column {}\n", trace.step, trace.stream,
                 trace.group, trace.column);
  for (std::size_t at = 0; at < std::min(trace.members.size(), members_shown); ++at) {
    const reference::TraceMember& member = trace.members[at];
    fmt::format_to(to, "position {:<3} token row {:<4} fma({}, {}, {}) = {}\n", member.position,
                   member.token_row, hex(member.scale), hex(member.token_value),
                   hex(member.acc_before), hex(member.acc_after));
  }
  if (trace.members.size() > members_shown)
    fmt::format_to(to, "... {} more members\n", trace.members.size() - members_shown);
  if (!trace.valid) return text + "INVALID: nothing is stored\n";
  fmt::format_to(to, "out = fma({}, {}, {}) = {}\n", hex(trace.base), hex(trace.decay),
                 hex(trace.members.back().acc_after), hex(trace.out));
  fmt::format_to(to, "bank[{}][{}] = {:0{}X}\n", trace.slot, trace.column, trace.stored_bits,
                 shape.bank_type == BankType::bf16 ? 4 : 8);
  if (trace.quantizer_scale && trace.amax && trace.quotient) {
    fmt::format_to(to, "amax = {}, scale = {}, quotient = {}\n", hex(*trace.amax),
                   hex(*trace.quantizer_scale), hex(*trace.quotient));
  }
  if (trace.snapshot_row && trace.snapshot_bits) {
    fmt::format_to(to, "row {} of the snapshot, column {} = {:X}\n", *trace.snapshot_row,
                   trace.column, *trace.snapshot_bits);
  }
  return text;
}

}  // namespace

FailureDetail detail_of(const Problem& problem, const std::optional<Difference>& difference) {
  FailureDetail detail;
  detail.size = size_phrase(problem.shape);
  // Groups and ordinals of ill-formed flags are not defined (REC-6).
  if (!validate(problem, {.quantizes_as_cluster = false}).empty()) return detail;
  const auto place = difference ? place_of(problem, *difference) : std::nullopt;
  const Place shown = place.value_or(Place{});
  const ProblemShape& shape = problem.shape;
  if (shape.num_chunks > 0 && shape.positions > 0) {
    const std::int64_t first =
        shape.positions <= drawn_positions_max
            ? 0
            : std::clamp<std::int64_t>(shown.begin - drawn_positions_max / 2, 0,
                                       shape.positions - drawn_positions_max);
    detail.picture = draw_chunk(problem, shown.chunk, first,
                                std::min(shape.positions - first, drawn_positions_max));
  }
  if (place && difference->column >= 0 && difference->column < shape.head_dim) {
    detail.chain = chain_text(
        shape, reference::trace_column(problem, place->chunk, place->group, difference->column));
  }
  return detail;
}

}  // namespace chainwalk::conformance
