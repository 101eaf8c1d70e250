// SPDX-License-Identifier: Apache-2.0
// What validation lets through must be walkable without harm.
#pragma once

#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::format_fuzz {

// Runs the reference on a problem that validate() has passed, if it is small.
inline void walk_it(const Problem& problem) {
  constexpr std::int64_t elements_max = 1 << 14;
  const ProblemShape& shape = problem.shape;
  const std::int64_t rows_max = elements_max / shape.head_dim;
  if (shape.slots > rows_max || shape.snapshot_rows() > rows_max) return;
  const OutputBuffers outputs(problem);
  reference::run(problem, outputs.views(), {.threads = 1});
}

}  // namespace chainwalk::format_fuzz
