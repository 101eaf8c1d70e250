// SPDX-License-Identifier: Apache-2.0
// A problem in parts that can be dropped one by one, and the problem that the rest makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// Records up to a LAST, or up to a tile's end where the run is open there.
struct Piece {
  std::vector<Record> records;
  std::int64_t tile = 0;
};

// Tensors that a change leaves alone are shared between sketches.
struct Sketch {
  ProblemShape shape;                      // num_chunks and positions are those of `chunks`
  std::vector<std::vector<Piece>> chunks;  // [N], pieces by position
  std::shared_ptr<const std::vector<std::byte>> bank;
  std::shared_ptr<const std::vector<float>> delta_v;
};

Sketch sketch_of(const Problem& problem);

// The problem of a sketch: shorter chunks are padded (REC-4), bounds and prefixes follow the pieces
// (TIL-1, TIL-4).
Problem build(const Sketch& sketch);

// Steps, streams and clamped tokens that are kept, each ascending and not empty; token rows are
// laid out anew, P * C rows a step. Steps before the first kept one must be in `bank` already.
struct Selection {
  std::vector<std::int64_t> steps, streams, tokens;
};
Selection everything(const ProblemShape& shape);
Sketch select(const Sketch& from, const Selection& kept);

// The named columns of every row, ascending and not empty.
Sketch select_columns(const Sketch& from, std::span<const std::size_t> columns);

// The members of a piece as one of scale 1, whose token row is what they come to (ARI-1): the
// group's other words, and the row for every record that names it, are those of the last one.
Sketch fold_members(const Sketch& from, std::size_t chunk, std::size_t piece);

// Rows of the bank that valid groups name, renumbered from 0; every other slot becomes 0.
Sketch compact_slots(const Sketch& from);

}  // namespace chainwalk::conformance
