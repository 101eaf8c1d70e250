// SPDX-License-Identifier: Apache-2.0
// Runs numpy_walk.py, whose text is compiled in, and reads the one number that it prints.
#include "numpy_walk.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "numpy_walk_script.h"

extern char** environ;  // NOLINT: POSIX declares it only with extensions on

namespace chainwalk::reference {
namespace {

struct Finished {
  int status = -1;  // exit status; -1: not started or killed
  std::string output;
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

Finished run_program(std::vector<std::string> arguments) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  Finished finished;
  if (error == 0) {
    finished.output = read_all(ends[0]);
    int status = 0;
    if (::waitpid(child, &status, 0) == child && WIFEXITED(status)) {
      finished.status = WEXITSTATUS(status);
    }
  }
  ::close(ends[0]);
  return finished;
}

}  // namespace

NumpyTime time_numpy(const BenchSettings& settings) {
  if (settings.python.empty()) return {std::nullopt, "left out"};
  constexpr int no_numpy = 3;  // numpy_walk.py
  const Finished finished =
      run_program({settings.python, "-c", numpy_walk_script, to_string(settings.bank_type),
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
