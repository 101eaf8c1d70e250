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

  // Sends one line and starts counting time; false when the worker is gone.
  bool send(const std::string& request);
  // Reads what has arrived; a whole line that is no mark (see run.h), or nullopt. `at_end` tells
  // that the pipe is closed.
  std::optional<std::string> receive();
  bool at_end() const noexcept { return at_end_; }
  int result_descriptor() const noexcept { return results_; }
  // Waits for such a line: nullopt at the end of the pipe, or once the worker is_overdue(limit).
  std::optional<std::string> wait(double limit);

  // Since the last request: all the time, and the implementation's own.
  double seconds() const;
  double implementation_seconds() const;
  // Whether the implementation has had `limit` seconds over the last request, or the suite itself
  // an hour: its own work takes seconds on an idle machine.
  bool is_overdue(double limit) const;
  // Milliseconds after which is_overdue() may become true, at most a second: for poll().
  int patience_ms(double limit) const;

  // Kills the process if it runs and says how it ended: "signal 11 (Segmentation fault)", "exit
  // status 3".
  std::string stop();

  std::string case_id;  // what it works on; empty when idle

 private:
  bool take_mark(const std::string& line);

  pid_t process_ = -1;
  int requests_ = -1;
  int results_ = -1;
  bool at_end_ = false;
  std::string buffer_;
  Clock::time_point sent_{};
  Clock::duration inside_{};                  // of implementation runs that have ended
  std::optional<Clock::time_point> entered_;  // when the one that has not did begin
};

// A line of a worker's result pipe, which the implementation under test may have spoiled: nullopt
// where it is no result.
std::optional<CaseResult> parse_answer(const std::string& line);

}  // namespace chainwalk::conformance
