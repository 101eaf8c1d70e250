// SPDX-License-Identifier: Apache-2.0
// Validation of a problem: whether every output of every step is defined (REC-5, REC-6, TIL-1,
// TIL-3, TIL-4, and the sizes of REC-1, GEO-1, ARI-7, QNT-1, BIG-1, PLN-1 to PLN-5, PLN-7, PLN-8).
#pragma once

#include <cstddef>
#include <vector>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk {

// Checks sizes alone, products included, without a tensor at hand. First fault first; empty: fine.
std::vector<InputFault> validate_shape(const ProblemShape& shape);

struct ValidateOptions {
  std::size_t max_faults = 16;       // stop after so many (at least 1)
  bool quantizes_as_cluster = true;  // TIL-3's limit applies where rows are quantized
  // REC-6 is no fault where no snapshot rows are written: every walk of such flags is defined.
  bool accepts_ill_formed_flags = false;
};

// Checks sizes, tensor lengths, alignment and overlap, then every chunk that runs, in order of
// chunk and position. Chunks past steps() * P never run: their content is not looked at.
// group_prefix is looked at only where snapshot rows are written (TIL-4); in a chunk whose flags
// are not well-formed it has only to lead to rows of that chunk, so that a walk which takes such
// flags (REC-6) stays inside its buffers. Every step's token rows have to lie inside delta_v
// (PLN-8). The bank may share no byte with another input, since the walk rewrites it in place; the
// others may overlap each other. The result is deterministic; empty: the problem is well-formed.
// Never reads past a view, whatever the shape says. Time O(records + bounds), memory O(slots / 8).
std::vector<InputFault> validate(const Problem& problem, const ValidateOptions& options = {});

// Checks buffers for the outputs of a problem that validate() has passed: exact lengths (a tensor
// that the form does not have is empty), 16-byte alignment (scale: 4), and that none shares a byte
// with an input or with another output (QNT-1, PLN-2, PLN-4, PLN-5). An `outputs.bank` that is the
// problem's own bank_before is an overlap. Empty: fine.
std::vector<InputFault> validate_outputs(const Problem& problem, const ConstOutputs& outputs);

// Throws InputError with the first fault.
void require_valid(const Problem& problem, const ValidateOptions& options = {});

}  // namespace chainwalk
