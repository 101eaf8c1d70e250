// SPDX-License-Identifier: Apache-2.0
// Shrinks a problem that shows a failure to a small one that still shows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "chainwalk/conformance/suite.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// Shrinking ends when nothing more can be dropped or either limit is reached. With `seconds` out of
// reach the result depends on the problem and the predicate only.
struct ShrinkBudget {
  double seconds = 2;
  std::int64_t tries = 20000;  // calls of the predicate
};

struct Shrunk {
  Problem problem;         // the smallest found; the given one where nothing could be dropped
  std::int64_t tries = 0;  // calls of the predicate
  std::int64_t steps = 0;  // tries after which it still failed
};

// Drops steps, streams, tiles, groups and members, then columns, slots and tokens, then makes
// values plain (0, 1, powers of two), as long as `still_fails` holds. Every problem it is asked
// about passes validate(), flags that were ill-formed already excepted (REC-6); it may throw, which
// ends shrinking and is passed on. `problem` itself is taken to fail and is not tried.
Shrunk shrink(const Problem& problem, const std::function<bool(const Problem&)>& still_fails,
              const ShrinkBudget& budget = {});

// The failure of a case on the smallest problem found. `result` is that of `problem`; its verdict
// is not fail where the failure did not show again, and then nothing was shrunk.
struct SmallFailure {
  Problem problem;
  CaseResult result;
};

// Runs the case's problem and shrinks it while it fails with the same diagnosis (the same tensor,
// where none fits). Only wrong bits are shrunk: other failures come back as they are. The case has
// a problem and a judge.
SmallFailure shrink_case(const Case& one, Harness& harness, const ShrinkBudget& budget = {});

// "1 step of 1 stream, 2 positions, head size 1, 1 bf16 row, snapshot none".
std::string size_phrase(const ProblemShape& shape);

}  // namespace chainwalk::conformance
