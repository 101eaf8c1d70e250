// SPDX-License-Identifier: Apache-2.0
// Kernels of the family with one fault planted in each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "src/launch.h"

namespace chainwalk::device {

struct FaultCase {
  std::string_view fault;
  std::string_view member;
  std::int64_t head_dim;
  std::int64_t positions;
  bool dependent;
  std::string_view kinds;  // that name the fault, with spaces between
  emulator::KernelEntry entry;
};

inline constexpr std::size_t fault_parts = 3;  // files that share the compilation

// The cases of one part, and how many there are.
struct FaultCases {
  const FaultCase* cases;
  std::size_t count;
};
FaultCases fault_cases_0();
FaultCases fault_cases_1();
FaultCases fault_cases_2();

}  // namespace chainwalk::device
