// SPDX-License-Identifier: Apache-2.0
// Trials of mutants: wrong rules in this process, misdeeds in worker processes.
#include "mutant_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/conformance/run.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::cli {
namespace {

using conformance::Case;
using conformance::CaseResult;
using conformance::Verdict;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Trial try_in_process(const Mutant& mutant, const char* name, std::vector<std::string> options,
                     const std::vector<Case>& cases) {
  conformance::Implementation implementation;
  implementation.table = adapters::find_implementation(name);
  implementation.memory = conformance::host_memory();
  implementation.options = std::move(options);
  Trial trial;
  trial.mutant = mutant;
  const auto start = Clock::now();
  conformance::Harness harness(implementation);
  for (const Case& one : cases) {
    ++trial.cases;
    CaseResult result = conformance::run_case(one, harness);
    if (result.verdict == Verdict::pass) continue;
    trial.profile = one.profile;
    trial.killed_by = std::move(result);
    break;
  }
  trial.seconds = seconds_since(start);
  return trial;
}

}  // namespace

const char* Trial::named() const {
  if (!killed_by) return "no";
  if (mutant.expected && mutant.rule.empty())
    return killed_by->verdict == *mutant.expected ? "yes" : "no";
  const std::string sentence =
      fmt::format("reproduced by: {} ({})", mutant.description, mutant.rule);
  if (killed_by->diagnosis == sentence) return "yes";
  const std::vector<std::string>& broken = killed_by->broken_rules;
  return std::find(broken.begin(), broken.end(), mutant.rule) == broken.end() ? "no" : "rule";
}

std::vector<Mutant> wrong_rule_mutants() {
  std::vector<Mutant> mutants;
  for (const conformance::WrongRule& wrong : conformance::wrong_rules()) {
    mutants.push_back({std::string(wrong.id), std::string(wrong.description),
                       std::string(wrong.rule), std::nullopt});
  }
  return mutants;
}

std::vector<Mutant> misdeed_mutants() {
  return {
#define CW_MISDEED(id, description, rule, verdict) {id, description, rule, Verdict::verdict},
#include "chainwalk/conformance/misdeeds.def"
#undef CW_MISDEED
  };
}

std::vector<Case> cases_smallest_first(conformance::Profile profile, std::uint64_t seed) {
  std::vector<Case> cases = conformance::make_suite(profile, seed);
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.profile < b.profile; });
  return cases;
}

Trial try_wrong_rule(const Mutant& mutant, const std::vector<Case>& cases) {
  return try_in_process(mutant, "wrong", {"rule=" + mutant.id}, cases);
}

Trial try_reference(const std::vector<Case>& cases) {
  return try_in_process({"reference", "nothing got wrong", "", std::nullopt}, "reference", {},
                        cases);
}

Trial try_misdeed(const Mutant& mutant, const std::vector<Case>& cases,
                  const MisdeedSettings& settings) {
  const platform::TemporaryFolder folder("chainwalk-mutants");
  conformance::RunHeader header;
  header.specification_version = specification_version();
  header.implementation = fmt::format("{}:fault={}", settings.library.string(), mutant.id);
  header.profile = settings.profile;
  header.seed = settings.seed;
  conformance::RunSettings run;
  run.worker_command = {
      "/proc/self/exe", "worker",         "--on",   header.implementation,
      "--profile",      settings.profile, "--seed", std::to_string(settings.seed)};
  run.journal = folder.path() / "journal.jsonl";
  run.case_seconds = settings.case_seconds;
  run.fail_fast = true;
  const auto start = Clock::now();
  conformance::RunOutcome outcome = conformance::run_cases(cases, header, run);
  Trial trial;
  trial.mutant = mutant;
  trial.seconds = seconds_since(start);
  for (std::size_t index = 0; index < outcome.results.size() && !trial.killed_by; ++index) {
    ++trial.cases;
    if (outcome.results[index].verdict == Verdict::pass) continue;
    trial.profile = cases[index].profile;
    trial.killed_by = std::move(outcome.results[index]);
  }
  return trial;
}

}  // namespace chainwalk::cli
