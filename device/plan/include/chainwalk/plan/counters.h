// SPDX-License-Identifier: Apache-2.0
// Which members of the family plans have chosen, in this process.
#pragma once

#include <cstdint>
#include <vector>

namespace chainwalk::plan {

// Plans that make_plan returned, by index into device::kernel_family. Any thread may ask, while
// others plan.
std::vector<std::uint64_t> plans_made();
void reset_plans_made();

}  // namespace chainwalk::plan
