// SPDX-License-Identifier: Apache-2.0
// The problem of a draw.
#pragma once

#include "chainwalk/fuzz/campaign.h"
#include "draw.h"

namespace chainwalk::fuzz {

// Passes validate(), REC-6 excepted where the draw takes LASTs away.
Problem build_problem(const Campaign& campaign, const Draw& draw);

}  // namespace chainwalk::fuzz
