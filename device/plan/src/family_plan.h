// SPDX-License-Identifier: Apache-2.0
// Plans and tilings over any family, so that tests need not depend on the members that there are.
#pragma once

#include <variant>

#include "chainwalk/plan/tiling.h"
#include "choose.h"

namespace chainwalk::plan {

// As make_plan and choose_tiling, with indices into `family`.
std::variant<Plan, Refusal> make_plan_of(Family family, const Request& request,
                                         const DeviceClass& device);

std::variant<Tiling, Refusal> choose_tiling_of(Family family, const ProblemShape& shape,
                                               const DeviceClass& device, const GeometryWish& wish);

}  // namespace chainwalk::plan
