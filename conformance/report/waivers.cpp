// SPDX-License-Identifier: Apache-2.0
// Waiver files, checked field by field.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputError(
      {"WAIVER", std::nullopt, std::nullopt, fmt::format("waiver file {}: {}", file, what)});
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (const std::size_t index : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 9U}) {
    if (text[index] < '0' || text[index] > '9') return false;
  }
  const int month = std::stoi(text.substr(5, 2));
  const int day = std::stoi(text.substr(8, 2));
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

class WaiverReader {
 public:
  WaiverReader(const json& entry, std::size_t index, const std::string& file,
               const std::string& today)
      : entry_(entry), place_(fmt::format("waiver {}", index)), file_(file), today_(today) {}

  Waiver read() const {
    if (!entry_.is_object()) refuse(file_, place_ + " is not an object");
    const std::set<std::string> known{"rule", "case", "reason", "link", "expires", "crash_class"};
    for (const auto& [key, value] : entry_.items()) {
      if (!known.contains(key))
        refuse(file_, fmt::format("{} has the unknown field \"{}\"", place_, key));
    }
    Waiver waiver{text("rule", false), text("case", false),   text("reason", true),
                  text("link", true),  text("expires", true), false};
    if (waiver.rule.empty() == waiver.case_id.empty())
      refuse(file_, place_ + " must name either a rule or a case");
    if (!waiver.rule.empty() && find_rule(waiver.rule) == nullptr) {
      refuse(file_,
             fmt::format("{} names the rule \"{}\", which does not exist", place_, waiver.rule));
    }
    if (!is_date(waiver.expires)) {
      refuse(file_, fmt::format("{}: expires is \"{}\"; it must be a date YYYY-MM-DD", place_,
                                waiver.expires));
    }
    if (waiver.expires < today_)
      refuse(file_, fmt::format("{} expired on {}: renew or remove it", place_, waiver.expires));
    if (entry_.contains("crash_class")) {
      if (!entry_["crash_class"].is_boolean())
        refuse(file_, place_ + ": crash_class must be true or false");
      waiver.crash_class = entry_["crash_class"].get<bool>();
    }
    return waiver;
  }

 private:
  std::string text(const char* key, bool needed) const {
    if (!entry_.contains(key)) {
      if (needed) refuse(file_, fmt::format("{} has no \"{}\"", place_, key));
      return {};
    }
    if (!entry_[key].is_string() || entry_[key].get<std::string>().empty()) {
      refuse(file_, fmt::format("{}: \"{}\" must be a text that is not empty", place_, key));
    }
    return entry_[key].get<std::string>();
  }

  const json& entry_;
  std::string place_;
  const std::string& file_;
  const std::string& today_;
};

bool matches(const std::string& pattern, const std::string& case_id) {
  if (pattern.back() != '*') return pattern == case_id;
  return case_id.starts_with(std::string_view(pattern).substr(0, pattern.size() - 1));
}

}  // namespace

std::vector<Waiver> parse_waivers(const std::string& text, const std::string& file,
                                  const std::string& today) {
  const json parsed = json::parse(text, nullptr, false);
  if (parsed.is_discarded()) refuse(file, "it is not JSON");
  if (!parsed.is_object() || parsed.size() != 1 || !parsed.contains("waivers") ||
      !parsed["waivers"].is_array()) {
    refuse(file, "it must be an object with the one field \"waivers\", a list");
  }
  std::vector<Waiver> waivers;
  for (const json& entry : parsed["waivers"]) {
    waivers.push_back(WaiverReader(entry, waivers.size() + 1, file, today).read());
  }
  return waivers;
}

std::string waivers_json(const std::vector<Waiver>& waivers) {
  json list = json::array();
  for (const Waiver& waiver : waivers) {
    json entry{{"reason", waiver.reason},
               {"link", waiver.link},
               {"expires", waiver.expires},
               {"crash_class", waiver.crash_class}};
    if (waiver.rule.empty()) {
      entry["case"] = waiver.case_id;
    } else {
      entry["rule"] = waiver.rule;
    }
    list.push_back(std::move(entry));
  }
  return json{{"waivers", std::move(list)}}.dump();
}

void require_known_cases(const std::vector<Waiver>& waivers, const std::string& file,
                         std::uint64_t seed) {
  const bool needed = std::any_of(waivers.begin(), waivers.end(),
                                  [](const Waiver& waiver) { return !waiver.case_id.empty(); });
  if (!needed) return;
  const std::vector<Case> suite = make_suite(Profile::soak, seed);
  for (std::size_t index = 0; index < waivers.size(); ++index) {
    const std::string& id = waivers[index].case_id;
    const bool known = id.empty() || std::any_of(suite.begin(), suite.end(), [&](const Case& one) {
                         return matches(id, one.id);
                       });
    if (!known) {
      refuse(file, fmt::format("waiver {} names the case \"{}\", which no profile has; a prefix of "
                               "case ids ends in '*'",
                               index + 1, id));
    }
  }
}

const Waiver* find_waiver(const std::vector<Waiver>& waivers, const CaseResult& result) {
  const auto found = std::find_if(waivers.begin(), waivers.end(), [&](const Waiver& waiver) {
    if (!waiver.case_id.empty()) return matches(waiver.case_id, result.case_id);
    return std::find(result.rules.begin(), result.rules.end(), waiver.rule) != result.rules.end();
  });
  return found == waivers.end() ? nullptr : &*found;
}

}  // namespace chainwalk::conformance
