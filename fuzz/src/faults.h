// SPDX-License-Identifier: Apache-2.0
// Changes of a problem's request near the borders of the plan checks (PLN-1 to PLN-7).
#pragma once

#include <vector>

#include "chainwalk/fuzz/request_edit.h"
#include "draw.h"

namespace chainwalk::fuzz {

// The changes that the draw's fault asks for, and those of another fault in one case of four, so
// that the order of the checks shows. Empty for the request of the problem itself.
std::vector<RequestEdit> draw_faults(const Draw& draw, const ProblemShape& shape);

}  // namespace chainwalk::fuzz
