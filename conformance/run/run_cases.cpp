// SPDX-License-Identifier: Apache-2.0
// The parent's side of a run: deals cases to workers, judges crashes and hangs, keeps the journal.
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <memory>

#include "chainwalk/conformance/run.h"
#include "chainwalk/conformance/worker.h"
#include "chainwalk/spec/fault.h"
#include "journal.h"

namespace chainwalk::conformance {
namespace {

using Clock = Worker::Clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Run {
 public:
  Run(const std::vector<Case>& cases, const RunHeader& header, const RunSettings& settings)
      : settings_(settings), journal_(settings.journal, header, settings.resume) {
    outcome_.header = header;
    for (std::size_t index = 0; index < cases.size(); ++index) {
      if (static_cast<std::int64_t>(index) % header.shard_count != header.shard_index) continue;
      take(cases[index]);
    }
    total_ = static_cast<std::int64_t>(outcome_.results.size());
  }

  RunOutcome finish() {
    const IgnoredPipeSignal ignored;
    while (deal() || busy()) wait();
    outcome_.seconds = seconds_since(start_);
    return std::move(outcome_);
  }

 private:
  void take(const Case& one) {
    CaseResult result;
    result.case_id = one.id;
    result.rules = one.rules;
    result.coordinates = one.coordinates;
    const auto earlier = journal_.finished().find(one.id);
    const std::size_t place = outcome_.results.size();
    if (earlier != journal_.finished().end()) {
      result = earlier->second;
      ++outcome_.resumed;
      count(result);
    } else if (std::find(settings_.never_launch.begin(), settings_.never_launch.end(), one.id) !=
               settings_.never_launch.end()) {
      result.text = "a waiver says that it must not be launched";
    } else {
      waiting_.push_back(place);
    }
    places_[one.id] = place;
    outcome_.results.push_back(std::move(result));
  }

  void count(const CaseResult& result) {
    ++done_;
    if (is_failure(result)) ++failures_;
  }

  bool over_budget() const {
    return settings_.budget_seconds && seconds_since(start_) > *settings_.budget_seconds;
  }
  bool busy() const {
    return std::any_of(workers_.begin(), workers_.end(),
                       [](const auto& worker) { return !worker->case_id.empty(); });
  }

  void drop_waiting(const char* why) {
    for (const std::size_t place : waiting_) outcome_.results[place].text = why;
    waiting_.clear();
  }

  // Gives every idle worker a case; true while cases wait.
  bool deal() {
    if (over_budget()) drop_waiting("the time budget was spent");
    const auto jobs = std::max<std::size_t>(1, settings_.jobs);
    while (workers_.size() < std::min(jobs, waiting_.size() + workers_.size()) &&
           !waiting_.empty()) {
      workers_.push_back(
          std::make_unique<Worker>(settings_.worker_command, settings_.memory_limit));
      start_next(*workers_.back());
    }
    for (auto& worker : workers_) {
      if (worker->case_id.empty() && !waiting_.empty()) start_next(*worker);
    }
    return !waiting_.empty();
  }

  void start_next(Worker& worker) {
    CaseResult& result = outcome_.results[waiting_.front()];
    waiting_.pop_front();
    journal_.begin(result.case_id);
    worker.case_id = result.case_id;
    report(result.case_id);
    // A worker that is gone shows as the end of its result pipe.
    (void)worker.send(result.case_id);
  }

  void wait() {
    std::vector<pollfd> polled;
    int patience_ms = 1000;
    for (const auto& worker : workers_) {
      polled.push_back({worker->result_descriptor(), POLLIN, 0});
      if (!worker->case_id.empty())
        patience_ms = std::min(patience_ms, worker->patience_ms(settings_.case_seconds));
    }
    (void)::poll(polled.data(), polled.size(), patience_ms);
    for (auto& worker : workers_) listen(*worker);
    std::erase_if(workers_, [](const auto& worker) { return worker->at_end(); });
  }

  void listen(Worker& worker) {
    while (const auto line = worker.receive()) {
      const auto result = parse_answer(*line);
      if (!result && !worker.case_id.empty()) {
        end_badly(worker, Verdict::crash, "the worker's answer is no result");
        (void)worker.stop();
      }
      if (result) finish_case(worker, *result);
    }
    if (worker.case_id.empty()) return;
    if (worker.at_end()) {
      end_badly(worker, Verdict::crash, "the worker ended with " + worker.stop());
    } else if (worker.is_overdue(settings_.case_seconds)) {
      end_badly(worker, Verdict::hang,
                fmt::format("no result within {} s", settings_.case_seconds));
      (void)worker.stop();
    }
  }

  void end_badly(Worker& worker, Verdict verdict, const std::string& text) {
    CaseResult result = outcome_.results[places_.at(worker.case_id)];
    result.verdict = verdict;
    result.text = text;
    result.seconds = worker.seconds();
    finish_case(worker, result);
  }

  void finish_case(Worker& worker, const CaseResult& result) {
    const auto place = places_.find(result.case_id);
    if (place == places_.end() || result.case_id != worker.case_id) return;  // not what was asked
    journal_.end(result);
    outcome_.results[place->second] = result;
    worker.case_id.clear();
    count(result);
    if (settings_.stop_after && settings_.stop_after(result))
      drop_waiting("an earlier case did not pass");
    report("");
  }

  void report(const std::string& current) const {
    if (settings_.progress)
      settings_.progress({done_, total_, failures_, seconds_since(start_), current});
  }

  const RunSettings& settings_;
  Journal journal_;
  RunOutcome outcome_;
  std::deque<std::size_t> waiting_;
  std::map<std::string, std::size_t> places_;
  std::vector<std::unique_ptr<Worker>> workers_;
  Clock::time_point start_ = Clock::now();
  std::int64_t done_ = 0, total_ = 0, failures_ = 0;
};

}  // namespace

RunOutcome run_cases(const std::vector<Case>& cases, const RunHeader& header,
                     const RunSettings& settings) {
  if (header.shard_count < 1 || header.shard_index < 0 ||
      header.shard_index >= header.shard_count) {
    throw InputError(
        {"RUN", std::nullopt, std::nullopt,
         fmt::format("shard {}/{} does not exist", header.shard_index, header.shard_count)});
  }
  return Run(cases, header, settings).finish();
}

}  // namespace chainwalk::conformance
