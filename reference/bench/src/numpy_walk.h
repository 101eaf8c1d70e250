// SPDX-License-Identifier: Apache-2.0
// The same step in NumPy, by a Python interpreter in a process of its own.
#pragma once

#include <optional>
#include <string>

#include "chainwalk/reference/bench.h"

namespace chainwalk::reference {

struct NumpyTime {
  std::optional<double> seconds_per_step;
  std::string absent;  // why there is none
};
NumpyTime time_numpy(const BenchSettings& settings);

}  // namespace chainwalk::reference
