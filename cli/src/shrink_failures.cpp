// SPDX-License-Identifier: Apache-2.0
// Shrinking of failures in worker processes, and the files that hold them.
#include "shrink_failures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::cli {
namespace {

using namespace conformance;
using namespace std::chrono_literals;

constexpr std::size_t replays_max = 50;
constexpr auto shrinking_max = 20s;  // its own budget is shorter: past this it hangs

bool is_failure(const CaseResult& result) {
  return result.verdict == Verdict::fail || result.verdict == Verdict::crash ||
         result.verdict == Verdict::hang;
}

// Runs argv with its output thrown away; false where it fails or takes too long.
bool run_quietly(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = -1;
  const int error =
      ::posix_spawn(&process, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + shrinking_max;
  int status = 0;
  while (::waitpid(process, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      ::kill(process, SIGKILL);
      ::waitpid(process, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(5ms);
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool shrink_in_worker(const ReplaySettings& settings, const std::string& case_id,
                      const std::filesystem::path& path) {
  std::vector<std::string> words = settings.worker_command;
  words.insert(words.end(), {"--shrink", case_id, "--output", path.string()});
  return run_quietly(words);
}

FailureDetail detail_of_file(const std::filesystem::path& path, const CaseResult& result) {
  const Replay replay = read_replay(path);
  const CaseResult shown =
      replay.note.result.empty() ? result : result_from_json_line(replay.note.result);
  FailureDetail detail = detail_of(replay.capture.problem, shown.difference);
  detail.original = replay.note.original;
  if (detail.original.empty() || !shown.difference) return detail;
  const Difference& first = *shown.difference;
  detail.size += fmt::format("; there {} row {} column {} should be {} and is {}", first.tensor,
                             first.row, first.column, first.expected, first.actual);
  return detail;
}

const Case& case_named(const std::vector<Case>& cases, const std::string& id) {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const Case& one) { return one.id == id; });
  if (found == cases.end() || found->problem == nullptr || found->judge == nullptr) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      fmt::format("case '{}' does not exist or has no problem", id)});
  }
  return *found;
}

}  // namespace

std::map<std::string, FailureDetail> write_replays(const ReplaySettings& settings,
                                                   const std::vector<Case>& cases,
                                                   RunOutcome& run) {
  std::map<std::string, const Case*> by_id;
  for (const Case& one : cases) by_id[one.id] = &one;
  std::map<std::string, FailureDetail> details;
  std::size_t shrunk = 0;
  for (CaseResult& result : run.results) {
    const auto found = by_id.find(result.case_id);
    if (!is_failure(result) || found == by_id.end() || found->second->problem == nullptr) continue;
    if (details.size() == replays_max) break;
    std::string name = result.case_id;
    std::replace(name.begin(), name.end(), '/', '_');
    const std::filesystem::path path = settings.folder / ("replay_" + name + ".safetensors");
    const bool wrong_bits = result.verdict == Verdict::fail && result.difference;
    const bool small = wrong_bits && shrunk < settings.shrunk_max &&
                       shrink_in_worker(settings, result.case_id, path);
    if (small) ++shrunk;
    if (!small) {
      write_replay(path, found->second->problem(),
                   {result.case_id, settings.implementation, result.diagnosis.value_or(""),
                    result.text, "", ""});
    }
    result.replay_file = path.string();
    details[result.case_id] = detail_of_file(path, result);
  }
  return details;
}

void shrink_to_file(const std::vector<Case>& cases, const std::string& case_id,
                    const std::string& implementation_label, Harness& harness,
                    const std::filesystem::path& path) {
  const Case& one = case_named(cases, case_id);
  const SmallFailure small = shrink_case(one, harness);
  if (small.result.verdict != Verdict::fail) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      fmt::format("case '{}' did not fail when it was run again", case_id)});
  }
  write_replay(path, small.problem,
               {case_id, implementation_label, small.result.diagnosis.value_or(""),
                small.result.text, size_phrase(one.problem().shape), to_json_line(small.result)});
}

}  // namespace chainwalk::cli
