// SPDX-License-Identifier: Apache-2.0
// Runs numpy_walk.py, whose text is compiled in, and reads the one number that it prints.
#include "numpy_walk.h"

#include <cstdlib>

#include "chainwalk/platform/program.h"
#include "numpy_walk_script.h"

namespace chainwalk::reference {

NumpyTime time_numpy(const BenchSettings& settings) {
  if (settings.python.empty()) return {std::nullopt, "left out"};
  constexpr int no_numpy = 3;  // numpy_walk.py
  const platform::FinishedProgram finished = platform::run_program(
      {settings.python, "-c", numpy_walk_script, to_string(settings.bank_type),
       std::to_string(settings.head_dim), std::to_string(settings.num_parallel),
       std::to_string(settings.chunk_size), std::to_string(settings.writes_per_token),
       std::to_string(settings.slots_per_stream)});
  if (finished.status == no_numpy) return {std::nullopt, settings.python + " has no NumPy"};
  char* end = nullptr;
  const double seconds = std::strtod(finished.output.c_str(), &end);
  if (finished.status != 0 || end == finished.output.c_str()) {
    return {std::nullopt, settings.python + " could not run it"};
  }
  return {seconds, ""};
}

}  // namespace chainwalk::reference
