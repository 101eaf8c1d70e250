// SPDX-License-Identifier: Apache-2.0
// chainwalk mutants: the suite's own test on implementations that are known to be wrong.
#include <memory>

#include "chainwalk/spec/fault.h"
#include "command.h"
#include "mutants_table.h"
#include "output.h"
#include "suite_choice.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

struct MutantsCommand {
  SuiteChoice suite;
  std::string output;
  std::string check;
  std::string misbehaving;
  double case_seconds = 20;
  bool rules_only = false;
  bool campaigns = false;
  bool json = false;
};

std::filesystem::path misbehaving_library(const MutantsCommand& command) {
  std::filesystem::path path = command.misbehaving;
  if (path.empty()) {
    path =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../tests/misbehaving.so";
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("the misbehaving implementation is not at {}: build the target "
                                  "chainwalk_misbehaving, name it with --misbehaving, or leave it "
                                  "out with --rules-only",
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

struct Trials {
  Trial reference;
  std::vector<Trial> rules, misdeeds;
  std::vector<CampaignTrial> campaigns;

  std::vector<Trial> all() const {
    std::vector<Trial> both = rules;
    both.insert(both.end(), misdeeds.begin(), misdeeds.end());
    return both;
  }
};

std::vector<CampaignTrial> run_campaigns(const MutantsCommand& command, Progress& progress) {
  std::vector<CampaignTrial> trials;
  const std::uint64_t seed = command.suite.seed;
  for (const Mutant& mutant : wrong_rule_mutants()) {
    progress.note(static_cast<std::int64_t>(trials.size()), "campaigns: " + mutant.id);
    trials.push_back(try_campaigns(mutant, seed));
  }
  if (command.rules_only) return trials;
  for (const Mutant& mutant : misdeed_mutants()) {
    if (!is_seen_by_campaigns(mutant)) continue;
    progress.note(static_cast<std::int64_t>(trials.size()), "campaigns: " + mutant.id);
    trials.push_back(try_campaigns(mutant, seed, misbehaving_library(command)));
  }
  return trials;
}

Trials run_trials(const MutantsCommand& command) {
  const auto cases = cases_smallest_first(command.suite.parsed_profile(), command.suite.seed);
  const std::vector<Mutant> rules = wrong_rule_mutants();
  const std::vector<Mutant> misdeeds =
      command.rules_only ? std::vector<Mutant>{} : misdeed_mutants();
  MisdeedSettings settings;
  if (!command.rules_only) settings.library = misbehaving_library(command);
  settings.profile = command.suite.profile;
  settings.seed = command.suite.seed;
  settings.case_seconds = command.case_seconds;
  const auto total = static_cast<std::int64_t>(rules.size() + misdeeds.size() + 1);
  std::int64_t done = 0;
  Progress progress(!command.json);
  Trials trials;
  progress.show(done++, total, "reference");
  trials.reference = try_reference(cases);
  for (const Mutant& mutant : rules) {
    progress.show(done++, total, mutant.id);
    trials.rules.push_back(try_wrong_rule(mutant, cases));
  }
  for (const Mutant& mutant : misdeeds) {
    progress.show(done++, total, mutant.id);
    trials.misdeeds.push_back(try_misdeed(mutant, cases, settings));
  }
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

int mutants(const MutantsCommand& command) {
  const Trials trials = run_trials(command);
  const std::string page = mutants_page(trials.rules, trials.misdeeds, trials.campaigns,
                                        command.suite.profile, command.suite.seed);
  if (!command.output.empty()) write_file(command.output, page);
  const std::vector<std::string> complaints = complaints_about(command, trials, page);
  const MutantFigures figures = figures_of(trials.all());
  if (command.json) {
    print_json({{"command", "mutants"},
                {"profile", command.suite.profile},
                {"seed", command.suite.seed},
                {"reference_cases", trials.reference.cases},
                {"mutants", figures.mutants},
                {"killed", figures.killed},
                {"killed_by_quick", figures.killed_by_quick},
                {"median_seconds", figures.median_seconds},
                {"complaints", complaints},
                {"rules", json_of(trials.rules)},
                {"misdeeds", json_of(trials.misdeeds)},
                {"campaigns", json_of(trials.campaigns)}});
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
  app.add_flag("--rules-only", command->rules_only,
               "Wrong rules only, no misbehaving implementation");
  app.add_flag("--campaigns", command->campaigns,
               "Run the campaigns of 'fuzz' on every mutant too, and shrink what they find");
  app.add_option("--case-seconds", command->case_seconds, "Time after which a case hangs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_flag("--json", command->json,
               "One JSON document: figures, complaints, and a record for each mutant");
  app.footer(
      "Tests the suite: the reference with one rule got wrong at a time, and implementations that\n"
      "crash, hang, leak or cheat. For each, the first case that convicts it, and whether its "
      "report\n"
      "names what is wrong.\n\n"
      "Examples:\n"
      "  chainwalk mutants\n"
      "  chainwalk mutants --profile full --campaigns -o docs/mutants.md\n"
      "  chainwalk mutants --profile full --campaigns --check docs/mutants.md\n\n"
      "Exit status: 0 all killed (of quick: 95 %) and the page is up to date, 1 not, 2 malformed\n"
      "input.");
  return [command] { return mutants(*command); };
}

}  // namespace chainwalk::cli
