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

// A failure on the smallest problem found, and what the judge said of it.
struct SmallFailure {
  Problem problem;
  CaseResult result;
};

// Whether two failures are the same one on different problems: the same verdict and, of wrong bits,
// the same diagnosis (the same tensor where none fits); of findings, errors and crashes, the same
// text up to its first colon.
bool fails_alike(const CaseResult& first, const CaseResult& other);

// Judges `problem` and shrinks it while it fails alike. Where the first judgement is no failure
// nothing is shrunk. What `judge` throws is passed on; one that runs problems in a worker
// (worker_predicate.h) shrinks crashes and hangs as well.
SmallFailure shrink_failure(const Problem& problem,
                            const std::function<CaseResult(const Problem&)>& judge,
                            const ShrinkBudget& budget = {});

// "1 step of 1 stream, 2 positions, head size 1, 1 bf16 row, snapshot none".
std::string size_phrase(const ProblemShape& shape);

}  // namespace chainwalk::conformance
