// SPDX-License-Identifier: Apache-2.0
// One worker process, seen from the parent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chainwalk::conformance {

class Worker {
 public:
  using Clock = std::chrono::steady_clock;

  // Starts `command`; its descriptor 3 is the result pipe, its standard input the request pipe.
  // Throws std::system_error.
  Worker(const std::vector<std::string>& command, std::uint64_t memory_limit);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  // kills and reaps what still runs

  bool send(const std::string& case_id);  // false when the worker is gone
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

}  // namespace chainwalk::conformance
