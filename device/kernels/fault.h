// SPDX-License-Identifier: Apache-2.0
// Faults that can be planted into a kernel, one line of it wrong, to prove that a checker finds
// them. Builds of the family plant none.
#pragma once

#include <cstdint>

namespace chainwalk::device {

// CW_FAULT(name, the rule or hazard that it breaks)
enum class Fault : std::uint8_t {
#define CW_FAULT(name, what) name,
#include "faults.def"
#undef CW_FAULT
};

}  // namespace chainwalk::device
