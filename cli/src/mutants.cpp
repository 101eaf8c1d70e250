// SPDX-License-Identifier: Apache-2.0
// chainwalk mutants: the suite's own test on implementations that are known to be wrong.
#include <algorithm>
#include <memory>

#include "chainwalk/spec/fault.h"
#include "command.h"
#include "mutants_table.h"
#include "option_checks.h"
#include "output.h"
#include "suite_choice.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

// A case of a kernel under the emulator's checks takes seconds on a slow machine.
constexpr double checked_case_seconds = 120;

const std::vector<std::string> default_kinds{"rules", "misdeeds"};

struct MutantsCommand {
  SuiteChoice suite;
  std::string output;
  std::string check;
  std::string misbehaving, faulty;
  double case_seconds = 20;
  std::vector<std::string> only = default_kinds;
  bool campaigns = false;
  bool json = false;
};

// A shared object of the suite's own test: as named, or that of this build.
std::filesystem::path library_of(const std::string& named, const char* file) {
  std::filesystem::path path = named;
  if (path.empty())
    path = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../tests" / file;
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("there is no {}: build the targets chainwalk_misbehaving and "
                                  "chainwalk_faulty_emulator, name them with --misbehaving and "
                                  "--faulty-kernels, or leave them out with --only rules",
                                  path.string())});
  }
  return std::filesystem::canonical(path);
}

Json json_of(const std::vector<Trial>& trials) {
  Json list = Json::array();
  for (const Trial& trial : trials) {
    Json entry{{"mutant", trial.mutant.id}, {"description", trial.mutant.description},
               {"rule", trial.mutant.rule}, {"killed", trial.killed_by.has_value()},
               {"cases", trial.cases},      {"seconds", trial.seconds},
               {"named", trial.named()}};
    if (trial.killed_by) {
      entry["case"] = trial.killed_by->case_id;
      entry["quick"] = trial.profile == conformance::Profile::quick;
      entry["verdict"] = to_string(trial.killed_by->verdict);
      entry["text"] = trial.killed_by->text;
      entry["diagnosis"] = trial.killed_by->diagnosis.value_or("");
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json json_of(const std::vector<CampaignTrial>& trials) {
  Json list = Json::array();
  for (const CampaignTrial& trial : trials) {
    list.push_back({{"mutant", trial.mutant.id},
                    {"campaign", trial.campaign},
                    {"cases", trial.cases},
                    {"tries", trial.tries},
                    {"records", trial.size.records},
                    {"groups", trial.size.groups},
                    {"head_dim", trial.head_dim},
                    {"finding", trial.shrunk.key},
                    {"named", trial.named()},
                    {"seconds", trial.seconds}});
  }
  return list;
}

Json json_of(const std::vector<PairTrial>& pairs) {
  Json list = Json::array();
  for (const PairTrial& pair : pairs) {
    Json entry{{"mutant", pair.trial.mutant.id},
               {"killed", pair.trial.killed_by.has_value()},
               {"cases", pair.trial.cases},
               {"fate", to_string(pair.fate)}};
    if (pair.trial.killed_by) entry["case"] = pair.trial.killed_by->case_id;
    if (!pair.named_by.empty()) entry["named_by"] = pair.named_by;
    if (!pair.instead.empty()) entry["instead"] = pair.instead;
    list.push_back(std::move(entry));
  }
  return list;
}

bool wants(const MutantsCommand& command, const char* kind) {
  return std::find(command.only.begin(), command.only.end(), kind) != command.only.end();
}

std::vector<PairTrial> run_pairs(const std::vector<conformance::Case>& cases, Progress& progress) {
  progress.note(0, "pairs: which rule changes which case");
  const PairSearch search(cases);
  const std::size_t rules = conformance::wrong_rules().size();
  const auto total = static_cast<std::int64_t>(rules * (rules - 1) / 2);
  std::vector<PairTrial> trials;
  for (std::size_t first = 0; first < rules; ++first) {
    for (std::size_t second = first + 1; second < rules; ++second) {
      progress.show(static_cast<std::int64_t>(trials.size()), total, "pairs");
      trials.push_back(search.run(first, second));
    }
  }
  return trials;
}

std::vector<CampaignTrial> run_campaigns(const MutantsCommand& command, Progress& progress) {
  std::vector<CampaignTrial> trials;
  const std::uint64_t seed = command.suite.seed;
  for (const Mutant& mutant : wrong_rule_mutants()) {
    progress.note(static_cast<std::int64_t>(trials.size()), "campaigns: " + mutant.id);
    trials.push_back(try_campaigns(mutant, seed));
  }
  for (const Mutant& mutant : misdeed_mutants()) {
    if (!is_seen_by_campaigns(mutant)) continue;
    progress.note(static_cast<std::int64_t>(trials.size()), "campaigns: " + mutant.id);
    trials.push_back(
        try_campaigns(mutant, seed, library_of(command.misbehaving, "misbehaving.so")));
  }
  return trials;
}

// A list of mutants and how one of them is tried.
struct Plan {
  TrialGroup group;
  std::vector<Mutant> mutants;
  std::function<Trial(const Mutant&)> run;
};

std::vector<Plan> plans_of(const MutantsCommand& command,
                           const std::vector<conformance::Case>& cases) {
  const auto wrong = [&cases](const Mutant& mutant) { return try_wrong_rule(mutant, cases); };
  MisdeedSettings settings;
  settings.profile = command.suite.profile;
  settings.seed = command.suite.seed;
  settings.case_seconds = command.case_seconds;
  std::vector<Plan> plans;
  if (wants(command, "rules"))
    plans.push_back({{"Rules got wrong", "rule", "rules", "", {}}, wrong_rule_mutants(), wrong});
  if (wants(command, "misdeeds")) {
    settings.library = library_of(command.misbehaving, "misbehaving.so");
    plans.push_back({{"Misdeeds", "rule", "misdeeds", "", {}},
                     misdeed_mutants(),
                     [&cases, settings](auto& m) { return try_misdeed(m, cases, settings); }});
  }
  if (wants(command, "kernels")) {
    settings.library = library_of(command.faulty, "faulty_emulator.so");
    settings.case_seconds = std::max(command.case_seconds, checked_case_seconds);
    plans.push_back(
        {{"Faults planted into kernels",
          "kernel",
          "kernels",
          "One line of one kernel wrong, under the emulator's checks, on the cases that "
          "the kernel serves.\nA fault is named by the kind of the emulator's finding.",
          {}},
         kernel_fault_mutants(settings.library),
         [&cases, settings](auto& m) { return try_kernel_fault(m, cases, settings); }});
  }
  return plans;
}

Trials run_trials(const MutantsCommand& command) {
  const auto cases = cases_smallest_first(command.suite.parsed_profile(), command.suite.seed);
  std::vector<Plan> plans = plans_of(command, cases);
  std::int64_t total = 1;
  for (const Plan& plan : plans) total += static_cast<std::int64_t>(plan.mutants.size());
  std::int64_t done = 0;
  Progress progress(!command.json);
  Trials trials;
  progress.show(done++, total, "reference");
  trials.reference = try_reference(cases);
  for (Plan& plan : plans) {
    for (const Mutant& mutant : plan.mutants) {
      progress.show(done++, total, mutant.id);
      plan.group.trials.push_back(plan.run(mutant));
    }
    trials.groups.push_back(std::move(plan.group));
  }
  if (wants(command, "pairs")) trials.pairs = run_pairs(cases, progress);
  if (command.campaigns) trials.campaigns = run_campaigns(command, progress);
  return trials;
}

// What is not as it must be, a line each.
std::vector<std::string> complaints_about(const MutantsCommand& command, const Trials& trials,
                                          const std::string& page) {
  std::vector<std::string> complaints;
  if (trials.reference.killed_by) {
    complaints.push_back(fmt::format("the reference itself does not pass {}: {}",
                                     trials.reference.killed_by->case_id,
                                     trials.reference.killed_by->text));
  }
  const std::vector<Trial> all = trials.all();
  const MutantFigures figures = figures_of(all);
  for (const Trial& trial : all) {
    if (trial.killed_by || command.suite.parsed_profile() == conformance::Profile::quick) continue;
    complaints.push_back(fmt::format("{} survives", trial.mutant.id));
  }
  for (const CampaignTrial& trial : trials.campaigns) {
    if (trial.campaign.empty())
      complaints.push_back(fmt::format("{} survives every campaign", trial.mutant.id));
  }
  for (const PairTrial& pair : trials.pairs) {
    if (pair.fate == PairFate::unnamed)
      complaints.push_back(fmt::format("{}: {}", pair.trial.mutant.id, pair.instead));
  }
  if (!figures.quick_suffices()) {
    complaints.push_back(fmt::format("the quick profile kills {} of {}; 95 % are needed",
                                     figures.killed_by_quick, figures.mutants));
  }
  if (!command.check.empty()) {
    if (const auto difference = compare_pages(read_text(command.check), page)) {
      complaints.push_back(fmt::format("{} line {} is out of date\n  recorded: {}\n  now:      {}",
                                       command.check, difference->line, difference->recorded,
                                       difference->now));
    }
  }
  return complaints;
}

PageHead head_of(const MutantsCommand& command) {
  PageHead head{command.suite.profile, command.suite.seed, "", "docs/mutants.md"};
  if (command.campaigns) head.options = " --campaigns";
  if (command.only == default_kinds) return head;
  head.options += fmt::format(" --only {}", fmt::join(command.only, ","));
  head.file = fmt::format("docs/mutants-of-{}.md", fmt::join(command.only, "-and-"));
  return head;
}

int mutants(const MutantsCommand& command) {
  const Trials trials = run_trials(command);
  const std::string page = mutants_page(trials, head_of(command));
  if (!command.output.empty()) write_file(command.output, page);
  const std::vector<std::string> complaints = complaints_about(command, trials, page);
  const MutantFigures figures = figures_of(trials.all());
  if (command.json) {
    Json document{{"command", "mutants"},
                  {"profile", command.suite.profile},
                  {"seed", command.suite.seed},
                  {"reference_cases", trials.reference.cases},
                  {"mutants", figures.mutants},
                  {"killed", figures.killed},
                  {"killed_by_quick", figures.killed_by_quick},
                  {"median_seconds", figures.median_seconds},
                  {"complaints", complaints}};
    for (const TrialGroup& group : trials.groups) document[group.json_name] = json_of(group.trials);
    if (!trials.pairs.empty()) document["pairs"] = json_of(trials.pairs);
    if (command.campaigns) document["campaigns"] = json_of(trials.campaigns);
    print_json(document);
    return complaints.empty() ? status_ok : status_different;
  }
  if (command.output.empty() && command.check.empty()) print_text(page + "\n");
  say("{} of {} mutants killed by profile {}\n", figures.killed, figures.mutants,
      command.suite.profile);
  say("{} of {} by profile quick\n", figures.killed_by_quick, figures.mutants);
  say("median time to kill {:.2f} s\n", figures.median_seconds);
  for (const std::string& complaint : complaints) say("{}\n", complaint);
  return complaints.empty() ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_mutants(CLI::App& app) {
  auto command = std::make_shared<MutantsCommand>();
  command->suite.add_to(app);
  app.add_option("-o,--output", command->output, "Write the page of mutants (Markdown)")
      ->type_name("FILE");
  app.add_option("--check", command->check, "Compare with a page written earlier, seconds left out")
      ->type_name("FILE");
  app.add_option("--misbehaving", command->misbehaving,
                 "The misbehaving implementation (default: the one of this build)")
      ->type_name("FILE");
  app.add_flag("--campaigns", command->campaigns,
               "Run the campaigns of 'fuzz' on every mutant too, and shrink what they find");
  app.add_option("--faulty-kernels", command->faulty,
                 "The kernels with planted faults (default: those of this build)")
      ->type_name("FILE");
  app.add_option("--only", command->only, "Kinds of mutants: rules, pairs, misdeeds, kernels")
      ->delimiter(',')
      ->check(CLI::IsMember({"rules", "pairs", "misdeeds", "kernels"}))
      ->type_name("KIND,...")
      ->default_str("rules,misdeeds");
  app.add_option("--case-seconds", command->case_seconds, "Time after which a case hangs")
      ->check(require_seconds)
      ->capture_default_str();
  app.add_flag("--json", command->json,
               "One JSON document: figures, complaints, and a record for each mutant");
  app.footer(
      "Tests the suite: the reference with one or two rules got wrong, implementations that "
      "crash,\n"
      "hang, leak or cheat, and kernels with one line wrong under the emulator's checks. For each, "
      "the\n"
      "first case that convicts it, and whether its report names what is wrong.\n\n"
      "Examples:\n"
      "  chainwalk mutants\n"
      "  chainwalk mutants --profile full --campaigns -o docs/mutants.md\n"
      "  chainwalk mutants --profile full --campaigns --check docs/mutants.md\n"
      "  chainwalk mutants --profile full --only pairs -o docs/mutants-of-pairs.md\n\n"
      "Exit status: 0 all killed (of quick: 95 %) and the page is up to date, 1 not, 2 malformed\n"
      "input.");
  return [command] { return mutants(*command); };
}

}  // namespace chainwalk::cli
