// SPDX-License-Identifier: Apache-2.0
// From a request of the C interface to a problem and its outputs, checked first (PLN-1 to PLN-5,
// PLN-7, PLN-8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chainwalk/implementation.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::adapters {

struct Refusal {
  cw_refusal code;
  std::string text;  // rule, value found, value needed
};

// The checks that do not depend on a device, in the order of PLN; the first that fails. Nothing
// behind a pointer is read.
std::optional<Refusal> check_request(const cw_request& request);

// A request that check_request() has passed, as views over the caller's memory. bank_before and
// outputs.bank are the same bytes.
struct Bound {
  Problem problem;
  Outputs outputs;
  std::int64_t greatest_step;  // PLN-8
};
Bound bind_request(const cw_request& request);

}  // namespace chainwalk::adapters
