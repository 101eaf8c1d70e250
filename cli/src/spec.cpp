// SPDX-License-Identifier: Apache-2.0
// chainwalk spec: the specification, rule by rule.
#include <algorithm>
#include <cctype>
#include <memory>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct SpecCommand {
  std::string rule;
  bool json = false;
};

// A rule by its id, a chapter's rules by its name, every rule for no name.
std::vector<const Rule*> selected_rules(std::string name) {
  std::vector<const Rule*> selected;
  if (const Rule* rule = find_rule(name)) return {rule};
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  for (const Rule& rule : rules()) {
    if (name.empty() || rule.chapter == name) selected.push_back(&rule);
  }
  if (!selected.empty()) return selected;
  std::string chapters;
  for (const Rule& rule : rules()) {
    if (chapters.find(rule.chapter) == std::string::npos) {
      chapters += (chapters.empty() ? "" : ", ") + std::string(rule.chapter);
    }
  }
  throw InputError({"", std::nullopt, std::nullopt,
                    fmt::format("rule '{}' does not exist; chapters are {}, and 'chainwalk spec' "
                                "lists every rule",
                                name, chapters)});
}

int run_spec(const SpecCommand& command) {
  const auto selected = selected_rules(command.rule);
  if (command.json) {
    Json list = Json::array();
    for (const Rule* rule : selected) {
      list.push_back({{"id", rule->id},
                      {"chapter", rule->chapter},
                      {"title", rule->title},
                      {"text", rule->text}});
    }
    print_json({{"command", "spec"},
                {"specification_version", specification_version()},
                {"rules", std::move(list)}});
    return status_ok;
  }
  if (selected.size() == 1) {
    say("{}  {}\n\n{}\n", selected[0]->id, selected[0]->title, selected[0]->text);
    return status_ok;
  }
  for (const Rule* rule : selected) say("{:<8} {}\n", rule->id, rule->title);
  return status_ok;
}

}  // namespace

std::function<int()> set_up_spec(CLI::App& app) {
  auto command = std::make_shared<SpecCommand>();
  app.add_option("RULE", command->rule, "Id of a rule (ARI-4) or name of a chapter (ARI)");
  app.add_flag("--json", command->json,
               "One JSON document: command, specification_version, rules (id, chapter, title, "
               "text)");
  app.footer(
      "Examples:\n"
      "  chainwalk spec            every rule, a line each\n"
      "  chainwalk spec QNT        the rules of a chapter\n"
      "  chainwalk spec ari-4      the text of one rule");
  return [command] { return run_spec(*command); };
}

}  // namespace chainwalk::cli
