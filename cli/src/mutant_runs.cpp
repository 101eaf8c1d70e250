// SPDX-License-Identifier: Apache-2.0
// Trials of mutants: wrong rules in this process, misdeeds in worker processes.
#include "mutant_runs.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/conformance/planted_fault.h"
#include "chainwalk/conformance/run.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/fault.h"
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

// Runs cases in a worker until `convicts` holds for a result.
Trial try_in_worker(const Mutant& mutant, const std::vector<Case>& cases,
                    const MisdeedSettings& settings,
                    const std::function<bool(const CaseResult&)>& convicts) {
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
  run.stop_after = convicts;
  const auto start = Clock::now();
  conformance::RunOutcome outcome = conformance::run_cases(cases, header, run);
  Trial trial;
  trial.mutant = mutant;
  trial.seconds = seconds_since(start);
  for (std::size_t index = 0; index < outcome.results.size() && !trial.killed_by; ++index) {
    ++trial.cases;
    if (!convicts(outcome.results[index])) continue;
    trial.profile = cases[index].profile;
    trial.killed_by = std::move(outcome.results[index]);
  }
  return trial;
}

}  // namespace

const char* Trial::named() const {
  if (!killed_by) return "no";
  if (!mutant.kernel.empty()) {
    const std::string kind =
        killed_by->difference ? "bits" : killed_by->text.substr(0, killed_by->text.find(':'));
    return (" " + mutant.kinds + " ").find(" " + kind + " ") == std::string::npos ? "no" : "yes";
  }
  if (mutant.expected && mutant.rule.empty())
    return killed_by->verdict == *mutant.expected ? "yes" : "no";
  const std::vector<std::string>& broken = killed_by->broken_rules;
  if (killed_by->diagnosis ==
      "reproduced by: " + conformance::phrase_of(mutant.description, mutant.rule))
    return "yes";
  return std::find(broken.begin(), broken.end(), mutant.rule) == broken.end() ? "no" : "rule";
}

std::vector<Mutant> wrong_rule_mutants() {
  std::vector<Mutant> mutants;
  for (const conformance::WrongRule& wrong : conformance::wrong_rules()) {
    Mutant mutant;
    mutant.id = wrong.id;
    mutant.description = wrong.description;
    mutant.rule = wrong.rule;
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

std::vector<Mutant> misdeed_mutants() {
  return {
#define CW_MISDEED(id, description, rule, verdict) \
  {id, description, rule, Verdict::verdict, {}, "", ""},
#include "chainwalk/conformance/misdeeds.def"
#undef CW_MISDEED
  };
}

std::vector<Mutant> kernel_fault_mutants(const std::filesystem::path& library) {
  const conformance::Implementation loaded = conformance::load_shared_object(library.string(), {});
  const auto list = reinterpret_cast<conformance::PlantedFaultsFunction>(
      ::dlsym(loaded.library.get(), conformance::planted_faults_symbol));
  if (list == nullptr) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("{} has no symbol {}: it holds no faulty kernels",
                                  library.string(), conformance::planted_faults_symbol)});
  }
  std::size_t count = 0;
  const conformance::PlantedFault* faults = list(&count);
  std::vector<Mutant> mutants;
  for (std::size_t index = 0; index < count; ++index) {
    Mutant mutant;
    mutant.id = faults[index].name;
    mutant.description = faults[index].what;
    mutant.expected = Verdict::fail;
    mutant.kernel = faults[index].member;
    mutant.kinds = faults[index].kinds;
    mutants.push_back(std::move(mutant));
  }
  return mutants;
}

std::vector<Case> cases_smallest_first(conformance::Profile profile, std::uint64_t seed) {
  std::vector<Case> cases = conformance::make_suite(profile, seed);
  std::stable_sort(cases.begin(), cases.end(),
                   [](const Case& a, const Case& b) { return a.profile < b.profile; });
  return cases;
}

Trial try_wrong_rule(const Mutant& mutant, const std::vector<Case>& cases) {
  std::vector<std::string> options;
  for (const std::string& part : mutant.parts) options.push_back("rule=" + part);
  if (options.empty()) options.push_back("rule=" + mutant.id);
  return try_in_process(mutant, "wrong", std::move(options), cases);
}

Trial try_reference(const std::vector<Case>& cases) {
  Mutant none;
  none.id = "reference";
  none.description = "nothing got wrong";
  return try_in_process(none, "reference", {}, cases);
}

Trial try_misdeed(const Mutant& mutant, const std::vector<Case>& cases,
                  const MisdeedSettings& settings) {
  return try_in_worker(mutant, cases, settings,
                       [](const CaseResult& result) { return result.verdict != Verdict::pass; });
}

Trial try_kernel_fault(const Mutant& mutant, const std::vector<Case>& cases,
                       const MisdeedSettings& settings) {
  // What the member does not serve convicts nobody, and it is looked up faster here.
  conformance::Harness harness(
      conformance::load_shared_object(settings.library.string(), {"fault=" + mutant.id}));
  std::vector<Case> served;
  for (const Case& one : cases) {
    if (one.problem == nullptr || !harness.unsupported(one.problem())) served.push_back(one);
  }
  return try_in_worker(mutant, served, settings, conformance::is_failure);
}

}  // namespace chainwalk::cli
