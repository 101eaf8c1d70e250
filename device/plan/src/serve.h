// SPDX-License-Identifier: Apache-2.0
// Whether a member of the family can do what a request needs, and why not (GEO-2, GEO-8, QNT-9,
// QNT-10, SRC, BIG-1).
#pragma once

#include <optional>
#include <string>

#include "chainwalk/plan/plan.h"
#include "sizes.h"

namespace chainwalk::plan {

// nullopt: it can. Device limits are not asked here (PLN-6).
std::optional<std::string> why_not_serving(const device::KernelTraits& kernel, const Sizes& sizes);

// nullopt: the member is what the wish asks for. A wish that names the member itself answers for
// the other fields too: they must agree.
std::optional<std::string> why_not_wished(const device::KernelTraits& kernel,
                                          const GeometryWish& wish);

// QNT-9: a column-sliced quantizing form is asked for where it cannot be; nullopt: it can.
std::optional<std::string> why_not_sliced_quantizing(const Sizes& sizes);

}  // namespace chainwalk::plan
