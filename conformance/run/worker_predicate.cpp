// SPDX-License-Identifier: Apache-2.0
// The parent's side of judging single problems: a file for each, a line to the worker, and its
// answer, its end or its silence.
#include "chainwalk/conformance/worker_predicate.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "chainwalk/conformance/worker.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/capture.h"

namespace chainwalk::conformance {
namespace {

CaseResult ended(Verdict verdict, std::string text) {
  CaseResult result;
  result.verdict = verdict;
  result.text = std::move(text);
  return result;
}

}  // namespace

struct WorkerJudge::Impl {
  WorkerJudgeSettings settings;
  platform::TemporaryFolder folder{"chainwalk-worker", platform::memory_backed_folder()};
  std::unique_ptr<Worker> worker;
  std::int64_t started = 0;

  CaseResult ask(const std::string& path) {
    const IgnoredPipeSignal ignored;
    if (worker == nullptr) {
      worker = std::make_unique<Worker>(settings.command, settings.memory_limit, settings.quiet);
      ++started;
    }
    (void)worker->send(path);
    const auto line = worker->wait(settings.problem_seconds);
    CaseResult result;
    if (line) {
      result =
          parse_answer(*line).value_or(ended(Verdict::crash, "the worker's answer is no result"));
    } else if (worker->at_end()) {
      result = ended(Verdict::crash, "the worker ended with " + worker->stop());
    } else {
      result = ended(Verdict::hang, fmt::format("no result within {} s", settings.problem_seconds));
    }
    if (result.verdict == Verdict::crash || result.verdict == Verdict::hang) worker.reset();
    return result;
  }
};

WorkerJudge::WorkerJudge(WorkerJudgeSettings settings) : impl_(std::make_unique<Impl>()) {
  impl_->settings = std::move(settings);
}

WorkerJudge::~WorkerJudge() = default;

CaseResult WorkerJudge::judge(const Problem& problem) {
  const std::filesystem::path path = impl_->folder.path() / "problem.safetensors";
  Capture capture;
  capture.problem = problem;
  capture.device = "none";
  capture.source = "candidate";
  write_capture(path, capture);
  return impl_->ask(path.string());
}

std::int64_t WorkerJudge::workers_started() const noexcept { return impl_->started; }

}  // namespace chainwalk::conformance
