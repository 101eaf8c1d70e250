// SPDX-License-Identifier: Apache-2.0
// The counter of chosen members, as make_plan raises it.
#pragma once

#include <cstddef>

#include "chainwalk/plan/counters.h"

namespace chainwalk::plan {

void count_plan(std::size_t kernel);  // below device::kernel_count

}  // namespace chainwalk::plan
