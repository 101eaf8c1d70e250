// SPDX-License-Identifier: Apache-2.0
// Parts of a request of the C interface, from a problem's sizes.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "chainwalk/implementation.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// A contiguous tensor of up to 3 dimensions. Strides that no 64-bit number holds become the
// greatest one.
cw_tensor contiguous_tensor(void* data, std::int32_t type,
                            std::initializer_list<std::int64_t> shape);

// The request's own size, and every number of it that is not a tensor's; the device stays.
void fill_sizes(cw_request& request, const ProblemShape& shape, const cw_geometry& geometry);

}  // namespace chainwalk::conformance
