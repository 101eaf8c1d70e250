// SPDX-License-Identifier: Apache-2.0
// Runs another program and keeps what it prints.
#pragma once

#include <string>
#include <vector>

namespace chainwalk::platform {

struct FinishedProgram {
  int status = -1;     // exit status; -1: not started, or ended by a signal
  std::string output;  // of its standard output
};

// Waits for the program's end. arguments[0] is its name, looked up in PATH, or its path; not empty.
// Standard error goes nowhere. What could not be started is a status of -1, not an exception.
FinishedProgram run_program(std::vector<std::string> arguments);

}  // namespace chainwalk::platform
