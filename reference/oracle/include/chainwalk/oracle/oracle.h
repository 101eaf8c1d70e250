// SPDX-License-Identifier: Apache-2.0
// The oracle: a second model of the walk by integer arithmetic alone, slow and obvious. It shares
// nothing with the reference but the problem types (REC, ARI, NUM, SNP, QNT, TIL, BIG).
#pragma once

#include <cstdint>

#include "chainwalk/spec/problem.h"

namespace chainwalk::oracle {

// Runs step `step` of a problem that has passed validate(), in place on `outputs`, on one thread:
// the bank holds what the step before left, and output views have the sizes that Outputs states
// and overlap no input view. Where flags are not well-formed (REC-6) the bank still follows ARI.
// Throws std::out_of_range where 0 <= step < shape.steps() does not hold, and where a group to be
// stored names a slot outside the bank; groups before it have been stored then.
void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs);

// Runs every step in order.
void run(const Problem& problem, const Outputs& outputs);

}  // namespace chainwalk::oracle
