// SPDX-License-Identifier: Apache-2.0
// One worker process, seen from the parent.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/conformance/result.h"

namespace chainwalk::conformance {

// While it lives, writing to a worker that has died is an error of that call, not the end of this
// process.
class IgnoredPipeSignal {
 public:
  IgnoredPipeSignal();
  IgnoredPipeSignal(const IgnoredPipeSignal&) = delete;
  IgnoredPipeSignal& operator=(const IgnoredPipeSignal&) = delete;
  ~IgnoredPipeSignal();

 private:
  struct sigaction before_ {};
};

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts `command`; its descriptor 3 is the result pipe, its standard input the request pipe;
  // `quiet` throws away what it prints. Throws std::system_error.
  Worker(const std::vector<std::string>& command, std::uint64_t memory_limit, bool quiet = false);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // kills and reaps what still runs

  bool send(const std::string& request);  // one line; false when the worker is gone
  // Reads what has arrived; a whole line, or nullopt. `at_end` tells that the pipe is closed.
  std::optional<std::string> receive();
  bool at_end() const noexcept { return at_end_; }
  int result_descriptor() const noexcept { return results_; }

  // Kills the process if it runs and says how it ended: "signal 11 (Segmentation fault)", "exit
  // status 3".
  std::string stop();

  std::string case_id;  // what it works on; empty when idle
  Clock::time_point deadline{};
  Clock::time_point started{};

 private:
  pid_t process_ = -1;
  int requests_ = -1;
  int results_ = -1;
  bool at_end_ = false;
  std::string buffer_;
};

// A line of a worker's result pipe, which the implementation under test may have spoiled: nullopt
// where it is no result.
std::optional<CaseResult> parse_answer(const std::string& line);

}  // namespace chainwalk::conformance
