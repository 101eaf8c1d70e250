// SPDX-License-Identifier: Apache-2.0
// The page of mutants in Markdown. Measured seconds stand in the last column and in one line of the
// summary, where a comparison can leave them out.
#include "mutants_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace chainwalk::cli {
namespace {

constexpr const char* median_line = "Median time to kill";
constexpr const char* legend =
    "\n*Diagnosis names it*: `yes` where the report of the killing case names this very fault, "
    "`rule` where it\n"
    "names the rule that is broken, `no` otherwise. A misdeed of no single rule is named by its "
    "verdict.\n";

std::string table_of(const TrialGroup& group) {
  std::string text = fmt::format(
      "| mutant | what is wrong | {} | first case that kills it | profile | cases to kill | "
      "verdict | diagnosis names it | seconds |\n"
      "| --- | --- | --- | --- | --- | ---: | --- | --- | ---: |\n",
      group.column);
  for (const Trial& trial : group.trials) {
    const Mutant& mutant = trial.mutant;
    const std::string& broken = mutant.kernel.empty() ? mutant.rule : mutant.kernel;
    const std::string rule = broken.empty() ? "-" : broken;
    if (!trial.killed_by) {
      text += fmt::format("| {} | {} | {} | **survives** | - | {} | - | no | {:.2f} |\n", mutant.id,
                          mutant.description, rule, trial.cases, trial.seconds);
      continue;
    }
    text +=
        fmt::format("| {} | {} | {} | `{}` | {} | {} | {} | {} | {:.2f} |\n", mutant.id,
                    mutant.description, rule, trial.killed_by->case_id, to_string(trial.profile),
                    trial.cases, to_string(trial.killed_by->verdict), trial.named(), trial.seconds);
  }
  return text;
}

// A line without what was measured.
std::string settled(const std::string& line) {
  if (line.starts_with(median_line)) return median_line;
  if (!line.starts_with('|') || line.size() < 2) return line;
  return line.substr(0, line.rfind('|', line.size() - 2));
}

}  // namespace

MutantFigures figures_of(const std::vector<Trial>& trials) {
  MutantFigures figures;
  figures.mutants = trials.size();
  std::vector<double> seconds;
  for (const Trial& trial : trials) {
    if (!trial.killed_by) continue;
    ++figures.killed;
    if (trial.profile == conformance::Profile::quick) ++figures.killed_by_quick;
    seconds.push_back(trial.seconds);
  }
  if (seconds.empty()) return figures;
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  figures.median_seconds =
      seconds.size() % 2 == 1 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2;
  return figures;
}

std::vector<Trial> Trials::all() const {
  std::vector<Trial> all;
  for (const TrialGroup& group : groups)
    all.insert(all.end(), group.trials.begin(), group.trials.end());
  for (const PairTrial& pair : pairs) all.push_back(pair.trial);
  return all;
}

std::string mutants_page(const Trials& trials, const PageHead& head) {
  const MutantFigures figures = figures_of(trials.all());
  std::string page = fmt::format(
      "# Mutants\n\n"
      "What the suite is worth: implementations that are known to be wrong, and the first case "
      "that\n"
      "convicts each. `chainwalk mutants --profile {0} --seed {1}{7} -o {8}` writes "
      "this page;\n"
      "with `--check {8}` instead of `-o` it runs in the tests and compares all\n"
      "but the seconds. The reference itself passes every case.\n\n"
      "Killed by profile {0}: {2} of {3}.\n\n"
      "Killed by profile quick: {4} of {3}.\n\n"
      "{5}: {6:.2f} s.\n",
      head.profile, head.seed, figures.killed, figures.mutants, figures.killed_by_quick,
      median_line, figures.median_seconds, head.options, head.file);
  if (!trials.groups.empty()) page += legend;
  for (const TrialGroup& group : trials.groups) {
    if (group.trials.empty()) continue;
    page += fmt::format("\n## {}\n\n", group.title);
    if (*group.note != '\0') page += fmt::format("{}\n\n", group.note);
    page += table_of(group);
  }
  if (!trials.pairs.empty()) page += pairs_section(trials.pairs);
  if (!trials.campaigns.empty()) page += campaigns_section(trials.campaigns, head.seed);
  return page;
}

std::optional<PageDifference> compare_pages(const std::string& recorded, const std::string& now) {
  std::istringstream first(recorded);
  std::istringstream second(now);
  for (std::size_t number = 1;; ++number) {
    std::string a;
    std::string b;
    const bool has_a = static_cast<bool>(std::getline(first, a));
    const bool has_b = static_cast<bool>(std::getline(second, b));
    if (!has_a && !has_b) return std::nullopt;
    if (!has_a) a = "(end of the page)";
    if (!has_b) b = "(end of the page)";
    if (has_a != has_b || settled(a) != settled(b)) return PageDifference{number, a, b};
  }
}

}  // namespace chainwalk::cli
