// SPDX-License-Identifier: Apache-2.0
// Results without a run, for tests of what reports make of them.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {

inline CaseResult made_up(const std::string& id, Verdict verdict, std::vector<std::string> rules,
                          const std::string& bank = "bf16", const std::string& snapshot = "none") {
  CaseResult result;
  result.case_id = id;
  result.verdict = verdict;
  result.rules = std::move(rules);
  result.coordinates = {bank, snapshot, "regular", 64, "nw 8, K 2"};
  if (verdict != Verdict::pass) result.text = "said of " + id;
  return result;
}

inline RunOutcome run_of(std::vector<CaseResult> results) {
  RunOutcome run;
  run.header = {suite_version, std::string(specification_version()), "./mine.so", "quick", 1, 0, 1};
  run.results = std::move(results);
  return run;
}

// A run of the shard of profile quick in which every case passes.
inline RunOutcome passing_run(std::int64_t shard_index = 0, std::int64_t shard_count = 1) {
  RunOutcome run = run_of({});
  run.header.shard_index = shard_index;
  run.header.shard_count = shard_count;
  const std::vector<Case> suite = make_suite(Profile::quick, run.header.seed);
  for (std::size_t index = 0; index < suite.size(); ++index) {
    if (static_cast<std::int64_t>(index) % shard_count != shard_index) continue;
    CaseResult result;
    result.case_id = suite[index].id;
    result.verdict = Verdict::pass;
    result.rules = suite[index].rules;
    result.coordinates = suite[index].coordinates;
    result.output_hash = index + 1;
    run.results.push_back(std::move(result));
  }
  return run;
}

inline CaseResult& result_named(RunOutcome& run, const std::string& id) {
  const auto found = std::find_if(run.results.begin(), run.results.end(),
                                  [&](const CaseResult& one) { return one.case_id == id; });
  if (found == run.results.end()) throw std::out_of_range(id);
  return *found;
}

inline const RuleVerdict* verdict_of(const Report& report, const std::string& rule) {
  const auto found = std::find_if(report.rules.begin(), report.rules.end(),
                                  [&](const RuleVerdict& one) { return one.rule == rule; });
  return found == report.rules.end() ? nullptr : &*found;
}

inline Waiver waiver_of_case(const std::string& id, bool crash_class = false) {
  return {"", id, "a reason", "https://example.org/1", "2999-01-01", crash_class};
}
inline Waiver waiver_of_rule(const std::string& rule) {
  return {rule, "", "a reason", "https://example.org/1", "2999-01-01", false};
}

}  // namespace chainwalk::conformance
