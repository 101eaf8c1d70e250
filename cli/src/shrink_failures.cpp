// SPDX-License-Identifier: Apache-2.0
// Shrinking of failures in worker processes, and the files that hold them.
#include "shrink_failures.h"

#include <fmt/format.h>

#include <algorithm>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/conformance/worker_predicate.h"

namespace chainwalk::cli {
namespace {

using namespace conformance;

constexpr std::size_t replays_max = 50;

// How long a failure of each kind may take. A candidate that hangs costs its whole limit, so that
// limit is short and the smallest problem is held to a longer one.
struct Limits {
  ShrinkBudget budget;
  double problem_seconds;
};

Limits limits_of(Verdict verdict, double case_seconds) {
  const auto at_most = [&](double seconds) { return std::min(seconds, case_seconds); };
  switch (verdict) {
    case Verdict::hang: return {{.seconds = 15}, at_most(1)};
    case Verdict::crash: return {{.seconds = 5}, at_most(10)};
    default: return {{.seconds = 2}, at_most(10)};
  }
}

// The failure of `one` on a small problem, or nullopt where it did not show again by itself.
std::optional<SmallFailure> shrink_in_worker(const ReplaySettings& settings, const Case& one,
                                             const Problem& problem, Verdict verdict) {
  const Limits limits = limits_of(verdict, settings.case_seconds);
  WorkerJudgeSettings worker{settings.worker_command};
  worker.command.insert(worker.command.end(), {"--judge", one.id});
  worker.problem_seconds = limits.problem_seconds;
  WorkerJudge judge(worker);
  SmallFailure small = shrink_failure(
      problem, [&](const Problem& candidate) { return judge.judge(candidate); }, limits.budget);
  if (verdict == Verdict::hang && small.result.verdict == Verdict::hang) {
    worker.problem_seconds = std::min(10.0, settings.case_seconds);
    WorkerJudge patient(worker);
    small.result = patient.judge(small.problem);
  }
  if (small.result.verdict != verdict) return std::nullopt;
  small.result.case_id = one.id;
  small.result.rules = one.rules;
  small.result.coordinates = one.coordinates;
  return small;
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

}  // namespace

std::map<std::string, FailureDetail> write_replays(const ReplaySettings& settings,
                                                   const std::vector<Case>& cases,
                                                   RunOutcome& run) {
  std::map<std::string, const Case*> by_id;
  for (const Case& one : cases) by_id[one.id] = &one;
  std::size_t written = 0;
  std::map<Verdict, std::size_t> left{{Verdict::fail, settings.shrunk_max},
                                      {Verdict::crash, settings.shrunk_max / 2},
                                      {Verdict::hang, settings.shrunk_max / 4}};
  for (CaseResult& result : run.results) {
    const auto found = by_id.find(result.case_id);
    if (!is_failure(result) || found == by_id.end() || found->second->problem == nullptr) continue;
    if (written == replays_max) break;
    std::string name = result.case_id;
    std::replace(name.begin(), name.end(), '/', '_');
    const std::filesystem::path path = settings.folder / ("replay_" + name + ".safetensors");
    const Problem problem = found->second->problem();
    ReplayNote note{result.case_id, settings.implementation, result.diagnosis.value_or(""),
                    result.text};
    std::optional<SmallFailure> small;
    if (left[result.verdict] > 0) {
      --left[result.verdict];
      small = shrink_in_worker(settings, *found->second, problem, result.verdict);
    }
    if (small) {
      note.diagnosis = small->result.diagnosis.value_or("");
      note.text = small->result.text;
      note.original = size_phrase(problem.shape);
      note.result = to_json_line(small->result);
    }
    write_replay(path, small ? small->problem : problem, note);
    result.replay_file = path.string();
    ++written;
  }
  return details_of(run);
}

std::map<std::string, FailureDetail> details_of(const RunOutcome& run) {
  std::map<std::string, FailureDetail> details;
  for (const CaseResult& result : run.results) {
    if (!result.replay_file.empty())
      details[result.case_id] = detail_of_file(result.replay_file, result);
  }
  return details;
}

}  // namespace chainwalk::cli
