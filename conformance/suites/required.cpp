// SPDX-License-Identifier: Apache-2.0
// The list of what a claim must run, checked field by field, and a suite checked against it.
#include "chainwalk/conformance/required.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "required_text.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::json;

constexpr std::array sights{std::pair{Observability::observable, "observable"},
                            std::pair{Observability::structural, "structural"},
                            std::pair{Observability::host, "host"}};

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputError({"REQUIRED", std::nullopt, std::nullopt, fmt::format("{}: {}", file, what)});
}

Observability parse_sight(const json& seen, const std::string& file, const std::string& rule) {
  for (const auto& [value, name] : sights) {
    if (seen == name) return value;
  }
  refuse(file, fmt::format("{}: \"seen\" is {}; observable, structural or host is needed", rule,
                           seen.dump()));
}

RequiredRule read_rule(const json& entry, std::size_t number, const std::string& file) {
  const bool shaped = entry.is_object() && entry.size() == 3 && entry.contains("rule") &&
                      entry["rule"].is_string() && entry.contains("seen") &&
                      entry.contains("recipes") && entry["recipes"].is_array();
  if (!shaped) {
    refuse(file, fmt::format("entry {} must have \"rule\", \"seen\" and the list \"recipes\" only",
                             number));
  }
  RequiredRule rule;
  rule.rule = entry["rule"];
  if (find_rule(rule.rule) == nullptr) {
    refuse(file,
           fmt::format("entry {} names the rule \"{}\", which does not exist", number, rule.rule));
  }
  rule.seen = parse_sight(entry["seen"], file, rule.rule);
  for (const json& recipe : entry["recipes"]) {
    if (!recipe.is_string() || recipe.get<std::string>().empty())
      refuse(file, fmt::format("{}: the recipe {} is not a name", rule.rule, recipe.dump()));
    rule.recipes.push_back(recipe);
  }
  if (rule.recipes.empty() == (rule.seen == Observability::observable)) {
    refuse(file, fmt::format("{} is {} and has {} recipes: observable rules need one, others have "
                             "none",
                             rule.rule, to_string(rule.seen), rule.recipes.size()));
  }
  return rule;
}

bool names(const Case& one, const std::string& rule) {
  return std::find(one.rules.begin(), one.rules.end(), rule) != one.rules.end();
}

void check_recipe(const std::vector<Case>& cases, const RequiredRule& rule,
                  const std::string& recipe, std::vector<std::string>& faults) {
  bool found = false;
  for (const Case& one : cases) {
    if (!is_of_recipe(one.id, recipe)) continue;
    found = found || one.profile == Profile::quick;
    if (!names(one, rule.rule))
      faults.push_back(
          fmt::format("{} is required for {} but does not name it", one.id, rule.rule));
  }
  if (!found) {
    faults.push_back(
        fmt::format("{} requires {}, which no case of profile quick is", rule.rule, recipe));
  }
}

}  // namespace

const char* to_string(Observability seen) noexcept {
  for (const auto& [value, name] : sights) {
    if (value == seen) return name;
  }
  return "unknown";
}

bool is_of_recipe(std::string_view case_id, std::string_view recipe) noexcept {
  return case_id == recipe || (recipe.ends_with('/') && case_id.starts_with(recipe));
}

std::vector<RequiredRule> parse_required(const std::string& text, const std::string& file) {
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) refuse(file, "it is not JSON");
  if (!parsed.is_object() || parsed.value("format", json()) != "chainwalk-required" ||
      parsed.value("version", json()) != 1 || !parsed.contains("rules") ||
      !parsed["rules"].is_array()) {
    refuse(file, "it must be an object with format \"chainwalk-required\", version 1 and rules");
  }
  std::vector<RequiredRule> required;
  std::set<std::string> seen;
  for (const json& entry : parsed["rules"]) {
    required.push_back(read_rule(entry, required.size() + 1, file));
    if (!seen.insert(required.back().rule).second)
      refuse(file, fmt::format("{} is listed twice", required.back().rule));
  }
  for (const Rule& rule : rules()) {
    if (!seen.contains(std::string(rule.id)))
      refuse(file, fmt::format("{} is not listed", rule.id));
  }
  return required;
}

const std::vector<RequiredRule>& required_rules() {
  static const std::vector<RequiredRule> all =
      parse_required(std::string(required_text), "spec/required.json");
  return all;
}

std::vector<std::string> faults_of_suite(const std::vector<Case>& cases,
                                         std::span<const RequiredRule> required) {
  std::vector<std::string> faults;
  for (const Case& one : cases) {
    if (one.rules.empty()) faults.push_back(fmt::format("{} names no rule", one.id));
    for (const std::string& rule : one.rules) {
      if (find_rule(rule) == nullptr)
        faults.push_back(fmt::format("{} names {}, which does not exist", one.id, rule));
    }
  }
  for (const RequiredRule& rule : required) {
    for (const std::string& recipe : rule.recipes) check_recipe(cases, rule, recipe, faults);
    const bool named = std::any_of(cases.begin(), cases.end(),
                                   [&](const Case& one) { return names(one, rule.rule); });
    if (rule.seen == Observability::observable && !named)
      faults.push_back(fmt::format("no case names {}", rule.rule));
  }
  return faults;
}

}  // namespace chainwalk::conformance
