// SPDX-License-Identifier: Apache-2.0
// What a shared object with faults planted into kernels says of them, for the suite's own test. It
// exports chainwalk_implementation(), whose option fault=NAME plants one, and
// chainwalk_planted_faults().
#pragma once

#include <cstddef>

namespace chainwalk::conformance {

struct PlantedFault {
  const char* name;    // "wrong_parity"
  const char* what;    // "the token barrier is waited for on the other parity"
  const char* member;  // of the kernel family
  // Kinds of finding that name it, with spaces between; "bits" stands for wrong output.
  const char* kinds;
};

inline constexpr const char* planted_faults_symbol = "chainwalk_planted_faults";

// Sets *count and returns the list, which lives as long as the shared object.
using PlantedFaultsFunction = const PlantedFault* (*)(std::size_t* count);

}  // namespace chainwalk::conformance
