// SPDX-License-Identifier: Apache-2.0
// Judges problem after problem in a worker process, where a crash or a hang is a verdict too: what
// shrinking and searching ask about each candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chainwalk/conformance/harness.h"
#include "chainwalk/conformance/result.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

struct WorkerJudgeSettings {
  std::vector<std::string> command;  // argv of a worker that calls serve_problems()
  double problem_seconds = 10;       // of the implementation over one problem, greater than 0
  std::uint64_t memory_limit = 0;    // bytes of address space of the worker; 0: none
  bool quiet = true;                 // throw away what the worker prints
};

// One worker at a time, started when it is needed and replaced after a crash or a hang. Not
// thread-safe; several judges may live side by side.
class WorkerJudge {
 public:
  explicit WorkerJudge(WorkerJudgeSettings settings);
  WorkerJudge(const WorkerJudge&) = delete;
  WorkerJudge& operator=(const WorkerJudge&) = delete;
  ~WorkerJudge();  // ends the worker

  // What the worker's judge says of `problem` (one that fault_besides_flags() passes); crash where
  // the worker ended, hang where it gave no answer in time, not_run where it cannot read the
  // problem. Only the fields that a judge sets are set: no id, rules or coordinates. Throws
  // std::system_error where no worker can be started or the problem cannot be handed over.
  CaseResult judge(const Problem& problem);

  std::int64_t workers_started() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The worker's side: reads paths of capture files, one a line, from descriptor `input`, judges each
// problem on a harness that `open` gives, and writes one JSON line per result to descriptor
// `output`. Returns at the end of input, and after a crash that the implementation reported (lost
// device, memory that ran out).
void serve_problems(const std::function<std::unique_ptr<Harness>()>& open,
                    const std::function<CaseResult(Harness&, const Problem&)>& judge, int input,
                    int output);

}  // namespace chainwalk::conformance
