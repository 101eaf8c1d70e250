// SPDX-License-Identifier: Apache-2.0
// Starting, talking to and ending a worker process.
#include "chainwalk/conformance/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "chainwalk/conformance/run.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::conformance {
namespace {

constexpr double suite_seconds_max = 3600;

double count_of(Worker::Clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make a pipe to a worker");
  }
  return ends;
}

// After fork only async-signal-safe calls are made. Standard output is this program's own: what a
// worker prints goes to standard error.
[[noreturn]] void become_worker(char* const* arguments, int requests, int results,
                                std::uint64_t memory_limit, bool quiet) {
  // A worker that hangs must not outlive a parent that was killed.
  (void)::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (memory_limit != 0) {
    const rlimit limit{memory_limit, memory_limit};
    (void)::setrlimit(RLIMIT_AS, &limit);
  }
  const rlimit no_core{0, 0};
  (void)::setrlimit(RLIMIT_CORE, &no_core);
  // The result pipe may itself be descriptor 3 or 0 already; a copy above both is safe to place.
  const int result_copy = ::fcntl(results, F_DUPFD_CLOEXEC, 10);
  if (::dup2(requests, STDIN_FILENO) < 0 || ::dup2(result_copy, worker_result_descriptor) < 0)
    ::_exit(127);
  if (requests == STDIN_FILENO) (void)::fcntl(STDIN_FILENO, F_SETFD, 0);
  if (quiet) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (::dup2(nowhere, STDERR_FILENO) < 0) ::_exit(127);
  }
  (void)::dup2(STDERR_FILENO, STDOUT_FILENO);
  ::execvp(arguments[0], arguments);
  ::_exit(127);
}

}  // namespace

IgnoredPipeSignal::IgnoredPipeSignal() {
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &before_);
}

IgnoredPipeSignal::~IgnoredPipeSignal() { ::sigaction(SIGPIPE, &before_, nullptr); }

Worker::Worker(const std::vector<std::string>& command, std::uint64_t memory_limit, bool quiet) {
  const auto request_pipe = make_pipe();
  const auto result_pipe = make_pipe();
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  process_ = ::fork();
  if (process_ == 0) {
    become_worker(arguments.data(), request_pipe[0], result_pipe[1], memory_limit, quiet);
  }
  const int code = errno;
  ::close(request_pipe[0]);
  ::close(result_pipe[1]);
  requests_ = request_pipe[1];
  results_ = result_pipe[0];
  if (process_ < 0) {
    ::close(requests_);
    ::close(results_);
    throw std::system_error(code, std::generic_category(), "cannot start a worker");
  }
  (void)::fcntl(results_, F_SETFL, O_NONBLOCK);
}

Worker::~Worker() {
  (void)stop();
  ::close(requests_);
  ::close(results_);
}

bool Worker::send(const std::string& request) {
  sent_ = Clock::now();
  inside_ = {};
  entered_.reset();
  const std::string line = request + "\n";
  return ::write(requests_, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

bool Worker::take_mark(const std::string& line) {
  if (line == enter_mark) {
    entered_ = Clock::now();
  } else if (line == leave_mark) {
    if (entered_) inside_ += Clock::now() - *entered_;
    entered_.reset();
  } else {
    return false;
  }
  return true;
}

double Worker::seconds() const { return count_of(Clock::now() - sent_); }

double Worker::implementation_seconds() const {
  return count_of(entered_ ? inside_ + (Clock::now() - *entered_) : inside_);
}

bool Worker::is_overdue(double limit) const {
  const double inside = implementation_seconds();
  return inside >= limit || seconds() - inside >= suite_seconds_max;
}

int Worker::patience_ms(double limit) const {
  const double left = entered_ ? limit - implementation_seconds() : 1.0;
  return static_cast<int>(std::clamp(left, 0.0, 1.0) * 1000) + 1;
}

std::optional<std::string> Worker::wait(double limit) {
  for (;;) {
    if (auto line = receive()) return line;
    if (at_end_ || is_overdue(limit)) return std::nullopt;
    pollfd polled{results_, POLLIN, 0};
    (void)::poll(&polled, 1, patience_ms(limit));
  }
}

std::optional<std::string> Worker::receive() {
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t count = ::read(results_, block.data(), block.size());
    if (count > 0) {
      buffer_.append(block.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      at_end_ = true;
      break;
    } else if (errno != EINTR) {
      break;
    }
  }
  for (;;) {
    const std::size_t stop = buffer_.find('\n');
    if (stop == std::string::npos) return std::nullopt;
    std::string line = buffer_.substr(0, stop);
    buffer_.erase(0, stop + 1);
    if (!take_mark(line)) return line;
  }
}

std::string Worker::stop() {
  if (process_ < 0) return "already ended";
  // A worker that has closed its pipe is ending by itself: its own status is wanted, not ours.
  int status = 0;
  pid_t ended = 0;
  for (int attempt = 0; at_end_ && attempt < 200 && ended == 0; ++attempt) {
    ended = ::waitpid(process_, &status, WNOHANG);
    if (ended == 0) ::usleep(5000);
  }
  if (ended == 0) {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  at_end_ = true;  // a process that the worker left behind may hold the pipe open
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::optional<CaseResult> parse_answer(const std::string& line) {
  try {
    return result_from_json_line(line);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace chainwalk::conformance
