// SPDX-License-Identifier: Apache-2.0
// Options that choose a campaign.
#include "fuzz_choice.h"

#include "chainwalk/oracle/oracle.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "option_checks.h"

namespace chainwalk::cli {
namespace {

// Name of "NAME:key=value,...".
std::string name_of(const std::string& on) { return on.substr(0, on.find(':')); }

}  // namespace

fuzz::Model model_of(const std::string& name) {
  if (name == "reference") {
    return [](const Problem& problem, const Outputs& outputs) {
      reference::run(problem, outputs, {.threads = 1});
    };
  }
  if (name == "oracle") return oracle::run;
  throw InputError({"FUZZ", std::nullopt, std::nullopt,
                    "option --against is '" + name + "'; reference or oracle is needed"});
}

void FuzzChoice::add_to(CLI::App& app) {
  choice.add_to(app);
  app.add_option("--against", against,
                 "Model that says what is right: reference (default), or oracle (default where "
                 "the reference itself is run)")
      ->type_name("MODEL");
  app.add_option("--campaign", campaign, "Which problems are drawn; 'list' lists the campaigns")
      ->type_name("NAME");
  app.add_option("--seed", seed, "Seed of the campaign: the cases follow from it")
      ->check(require_unsigned)
      ->type_name("S")
      ->capture_default_str();
}

void FuzzChoice::settle() {
  const std::string name = name_of(choice.on);
  // Workers are as many as the machine has threads already.
  if ((name == "reference" || name == "emulator") && !choice.threads &&
      choice.on.find("threads=") == std::string::npos)
    choice.threads = 1;
  if (against.empty()) against = name == "reference" ? "oracle" : "reference";
  if (campaign.empty()) campaign = name == "emulator" ? "schedules" : "walk";
  (void)model_of(against);
  if (fuzz::find_campaign(campaign).schedules && name != "emulator") {
    throw InputError({"FUZZ", std::nullopt, std::nullopt,
                      "campaign '" + campaign + "' chooses schedules of the emulator; --on is '" +
                          choice.on + "'"});
  }
}

fuzz::LedgerHeader FuzzChoice::header() const {
  return {campaign, seed, choice.label(), against, std::string(specification_version())};
}

fuzz::Model FuzzChoice::model() const { return model_of(against); }

std::vector<std::string> FuzzChoice::worker_command() const {
  std::vector<std::string> words{"/proc/self/exe", "fuzz-worker"};
  for (const std::string& word : choice.arguments()) words.push_back(word);
  for (const std::string& word : {std::string("--against"), against, std::string("--campaign"),
                                  campaign, std::string("--seed"), std::to_string(seed)})
    words.push_back(word);
  return words;
}

fuzz::PoolSettings FuzzChoice::pool_settings(const std::filesystem::path& folder) const {
  fuzz::PoolSettings settings;
  settings.worker_command = worker_command();
  settings.folder = folder;
  return settings;
}

}  // namespace chainwalk::cli
