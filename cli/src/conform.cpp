// SPDX-License-Identifier: Apache-2.0
// chainwalk conform: a verdict per rule for one implementation, in worker processes.
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/report.h"
#include "chainwalk/conformance/run.h"
#include "chainwalk/cuda/device.h"
#include "chainwalk/platform/executor.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "implementation_choice.h"
#include "option_checks.h"
#include "output.h"
#include "probe.h"
#include "report_files.h"
#include "shrink_failures.h"
#include "suite_choice.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

using namespace conformance;

struct ConformCommand {
  ImplementationChoice choice;
  SuiteChoice suite;
  std::string folder = "chainwalk-report";
  std::string shard = "0/1";
  std::string claim;
  std::string waivers;
  std::uint32_t jobs = 0;
  std::uint64_t worker_memory_mib = 0;
  double case_seconds = 60;
  double budget_seconds = 0;
  bool resume = false;
  bool fail_fast = false;
  bool json = false;
};

std::vector<std::string> worker_command(const ConformCommand& command) {
  std::vector<std::string> arguments{"/proc/self/exe", "worker"};
  for (const std::string& word : command.choice.arguments()) arguments.push_back(word);
  for (const std::string& word : command.suite.arguments()) arguments.push_back(word);
  return arguments;
}

RunHeader header_of(const ConformCommand& command) {
  const Shard shard = parse_shard(command.shard);
  RunHeader header;
  header.suite_version = suite_version;
  header.specification_version = specification_version();
  header.implementation = command.choice.label();
  header.profile = command.suite.profile;
  header.seed = command.suite.seed;
  header.shard_index = shard.index;
  header.shard_count = shard.count;
  return header;
}

// How many of the suite's cases the shard has; InputError where it has none.
std::size_t cases_of_shard(const RunHeader& header, std::size_t cases) {
  const auto index = static_cast<std::size_t>(header.shard_index);
  const auto count = static_cast<std::size_t>(header.shard_count);
  if (index >= cases) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      fmt::format("shard {}/{} has no case: profile {} has {}", index, count,
                                  header.profile, cases)});
  }
  return (cases - index + count - 1) / count;
}

// Ids of cases that must not be launched: those of crash-class waivers.
std::vector<std::string> never_launched(const std::vector<Case>& cases,
                                        const std::vector<Waiver>& waivers) {
  std::vector<std::string> ids;
  for (const Case& one : cases) {
    CaseResult result;
    result.case_id = one.id;
    result.rules = one.rules;
    const Waiver* waiver = find_waiver(waivers, result);
    if (waiver != nullptr && waiver->crash_class) ids.push_back(one.id);
  }
  return ids;
}

// About how long a run takes, from what a case takes on the built-in implementations; empty where
// nothing is known.
std::string duration_phrase(const std::string& on, std::size_t cases, unsigned jobs) {
  constexpr std::pair<std::string_view, double> case_seconds[] = {
      {"reference", 0.004}, {"oracle", 0.005}, {"wrong", 0.03}, {"emulator", 0.03}, {"cuda", 0.03}};
  for (const auto& [name, seconds] : case_seconds) {
    if (!on.starts_with(name)) continue;
    const double all = 1 + seconds * static_cast<double>(cases) / jobs;
    return all < 90 ? fmt::format(" It takes about {:.0f} s.", all)
                    : fmt::format(" It takes about {:.0f} minutes.", all / 60);
  }
  return {};
}

void announce(const ConformCommand& command, std::size_t cases, unsigned jobs) {
  if (command.json) return;
  say("Runs {} cases of profile {} on {}, {} at a time, and writes a report to {}/.{}\n", cases,
      command.suite.profile, command.choice.label(), jobs, command.folder,
      duration_phrase(command.choice.on, cases, jobs));
  flush_output();
}

// The machine, and the GPU of an implementation that runs on one.
Facts environment_of(const Opened& opened) {
  Facts facts = host_environment();
  if (opened.memory != CW_MEMORY_CUDA) return facts;
  const cuda::DeviceInfo info = cuda::device_info(opened.device);
  facts.emplace_back("gpu", info.name);
  facts.emplace_back("compute capability", plan::capability_text(info.compute_capability));
  facts.emplace_back("driver", std::to_string(info.driver_version));
  facts.emplace_back("CUDA runtime", std::to_string(info.runtime_version));
  return facts;
}

std::string progress_phrase(const conformance::Progress& now) {
  const double rate = now.seconds > 0 ? static_cast<double>(now.done) / now.seconds : 0;
  std::string text = fmt::format("{:.0f} a second, {} failed", rate, now.failures);
  if (rate > 0)
    text += fmt::format(", {:.0f} s left", static_cast<double>(now.total - now.done) / rate);
  return text;
}

std::vector<Waiver> read_waivers(const ConformCommand& command) {
  if (command.waivers.empty()) return {};
  std::vector<Waiver> waivers =
      parse_waivers(read_text(command.waivers), command.waivers, today_utc());
  require_known_cases(waivers, command.waivers, command.suite.seed);
  return waivers;
}

RunSettings settings_of(const ConformCommand& command) {
  RunSettings settings;
  settings.worker_command = worker_command(command);
  settings.journal = std::filesystem::path(command.folder) / "journal.jsonl";
  settings.resume = command.resume;
  settings.jobs = command.jobs == 0 ? platform::available_threads() : command.jobs;
  settings.case_seconds = command.case_seconds;
  if (command.fail_fast)
    settings.stop_after = [](const CaseResult& result) { return result.verdict != Verdict::pass; };
  settings.memory_limit = command.worker_memory_mib << 20U;
  if (command.budget_seconds > 0) settings.budget_seconds = command.budget_seconds;
  return settings;
}

// Cases that need more memory than allowed, with the reason why they do not run.
std::map<std::string, std::string> too_large(const std::vector<Case>& cases,
                                             std::uint64_t limit_mib) {
  std::map<std::string, std::string> reasons;
  for (const Case& one : cases) {
    if (limit_mib == 0 || one.memory_bytes >> 20U <= limit_mib) continue;
    reasons[one.id] = fmt::format("it needs about {} MiB; --max-memory is {}",
                                  one.memory_bytes >> 20U, limit_mib);
  }
  return reasons;
}

int conform(const ConformCommand& command) {
  const std::vector<Waiver> waivers = read_waivers(command);
  (void)parse_claim(command.claim);
  // What cannot be opened is said before anything is written.
  const Opened opened = probe(command.choice, command.case_seconds);
  const RunHeader header = header_of(command);
  const std::vector<Case> cases = command.suite.cases();
  const std::size_t selected = cases_of_shard(header, cases.size());
  std::filesystem::create_directories(command.folder);

  RunSettings settings = settings_of(command);
  settings.never_launch = never_launched(cases, waivers);
  const auto reasons = too_large(cases, command.suite.max_memory_mib);
  for (const auto& [id, reason] : reasons) settings.never_launch.push_back(id);
  Progress progress(!command.json);
  settings.progress = [&, announced = false](const conformance::Progress& now) mutable {
    // The first case begins: the journal is there.
    if (!std::exchange(announced, true)) announce(command, selected, settings.jobs);
    progress.show(now.done, now.total, progress_phrase(now));
  };
  RunOutcome run = run_cases(cases, header, settings);
  progress.clear();
  for (CaseResult& result : run.results) {
    const auto found = reasons.find(result.case_id);
    if (found != reasons.end()) result.text = found->second;
  }
  auto details = write_replays(
      {command.folder, command.choice.label(), settings.worker_command, command.case_seconds},
      cases, run);
  Report report =
      make_report(std::move(run), environment_of(opened), command.claim, waivers, required_rules());
  report.details = std::move(details);
  write_report(command.folder, report);
  return tell_report(command.folder, report, command.json);
}

bool has_gpu() {
  ImplementationChoice choice;
  choice.on = "cuda:0";
  try {
    (void)Harness(choice.open());
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

// Without --on: the kernels under the emulator (the reference in a build without it, or where its
// options are given), and on the GPU where there is one.
int conform_all(ConformCommand command) {
  if (!command.choice.on.empty()) return conform(command);
  const bool for_reference = command.choice.threads.has_value() || !command.choice.isa.empty();
  const bool emulated = adapters::find_implementation("emulator") != nullptr && !for_reference;
  command.choice.on = emulated ? "emulator" : "reference";
  const int status = conform(command);
  if (for_reference || command.json || !has_gpu()) return status;
  command.choice.on = "cuda:0";
  command.folder += "-cuda";
  say("\n");
  return std::max(status, conform(command));
}

}  // namespace

std::function<int()> set_up_conform(CLI::App& app) {
  auto command = std::make_shared<ConformCommand>();
  command->choice.on.clear();
  command->choice.add_to(app);
  command->suite.add_to(app);
  app.add_option("--report", command->folder, "Folder of the report, made where it is missing")
      ->capture_default_str();
  app.add_flag("--resume", command->resume,
               "Continue the run whose journal is in the report folder");
  app.add_flag("--fail-fast", command->fail_fast, "Stop at the first case that does not pass");
  app.add_option("--shard", command->shard, "Run part I of N, counted from 0")
      ->type_name("I/N")
      ->capture_default_str();
  app.add_option("--jobs", command->jobs,
                 "Worker processes side by side (0: one a hardware thread)")
      ->check(CLI::Range(0U, 1024U))
      ->capture_default_str();
  app.add_option(
         "--case-seconds", command->case_seconds,
         "Seconds that the implementation may take over one case; what the suite itself does "
         "for it does not count")
      ->check(require_seconds)
      ->capture_default_str();
  app.add_option("--time-budget", command->budget_seconds, "Seconds after which no case is started")
      ->check(require_seconds);
  app.add_option("--worker-memory", command->worker_memory_mib,
                 "MiB of address space that a worker may have (0: no limit): an implementation "
                 "that wants more runs out of memory in that case alone. Cases of BIG map banks of "
                 "over 8 GiB, and CUDA maps more")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U))
      ->type_name("MIB")
      ->capture_default_str();
  app.add_option("--claim", command->claim,
                 "Scope of the claim: bank types and snapshot forms, e.g. bf16,none,raw");
  app.add_option("--waivers", command->waivers, "File of waivers")->type_name("FILE");
  app.add_flag("--json", command->json, "The report as JSON on standard output");
  app.footer(
      "Gives an implementation a verdict per rule. Every case runs in a worker process, so that a\n"
      "crash or a hang is one case's verdict. Only pass is pass. Where a result is wrong, the "
      "report\n"
      "names the broken rule that reproduces the observed bits.\n\n"
      "Without --on it runs the kernels under the emulator, and on the GPU where there is one "
      "(its\n"
      "report goes to a folder of its own; with --json the emulator only).\n\n"
      "Examples:\n"
      "  chainwalk conform\n"
      "  chainwalk conform --on ./libmine.so --claim bf16,none --report mine\n"
      "  chainwalk conform --profile full --jobs 8 --resume\n\n"
      "Exit status: 0 conforms, 1 does not, 2 malformed input or a report that cannot be written.");
  return [command] { return conform_all(*command); };
}

}  // namespace chainwalk::cli
