// SPDX-License-Identifier: Apache-2.0
// The oracle: a second model of the walk by integer arithmetic alone, slow and obvious. It shares
// nothing with the reference but the problem types.
#pragma once

#include <cstdint>

#include "chainwalk/spec/problem.h"

namespace chainwalk::oracle {

// As reference::run_step and reference::run, on one thread.
void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs);
void run(const Problem& problem, const Outputs& outputs);

}  // namespace chainwalk::oracle
