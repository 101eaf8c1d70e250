// SPDX-License-Identifier: Apache-2.0
// From a request of the C interface to a request of a plan, and back from its refusals.
#pragma once

#include <optional>
#include <string>

#include "chainwalk/implementation.h"
#include "chainwalk/plan/plan.h"

namespace chainwalk::adapters {

// What options of a session add to every request.
struct SessionWish {
  std::optional<std::string> kernel;
  std::optional<device::BaseSource> source;
  cw_geometry geometry{0, 0, -1, 0, 0};  // where a request leaves a field open
  bool override_device_class = false;
};

// Nothing is checked: the plan does that. A quantizing_form of 1 is the walk itself where one warp
// has the whole row, else a cluster. A geometry field that means nothing gives a wish that no
// member fulfils. request.size has been checked.
plan::Request plan_request(const cw_request& request, const SessionWish& session);

cw_refusal refusal_of(plan::Check check);

}  // namespace chainwalk::adapters
