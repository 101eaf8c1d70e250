// SPDX-License-Identifier: Apache-2.0
// The memory floor of a step: its bank rows read and rewritten, its token rows read, no arithmetic.
#pragma once

#include <cstdint>

#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Touches what the walk of step `step` touches (groups of one member; no snapshot), with bank rows
// fetched `prefetch_rows` rows ahead, and leaves every byte as it was.
void touch_step(const Problem& problem, std::int64_t step, const Outputs& outputs, unsigned threads,
                std::int64_t prefetch_rows);

}  // namespace chainwalk::reference
