// SPDX-License-Identifier: Apache-2.0
// Reports as JSON, and back.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chainwalk/conformance/report.h"
#include "chainwalk/platform/json_nesting.h"
#include "chainwalk/spec/fault.h"
#include "json_integer.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::ordered_json;

constexpr int report_format_version = 1;
constexpr std::array all_verdicts{Verdict::pass, Verdict::fail,        Verdict::crash,
                                  Verdict::hang, Verdict::unsupported, Verdict::not_run};

ordered_json counts_json(const VerdictCounts& counts) {
  ordered_json json;
  for (const Verdict verdict : all_verdicts)
    json[to_string(verdict)] = counts[static_cast<std::size_t>(verdict)];
  return json;
}

VerdictCounts counts_from(const ordered_json& json) {
  VerdictCounts counts{};
  for (const Verdict verdict : all_verdicts)
    counts[static_cast<std::size_t>(verdict)] = integer_at<std::int64_t>(json, to_string(verdict));
  return counts;
}

Observability seen_from(const ordered_json& rule) {
  const std::string seen = rule.at("seen");
  for (const Observability known :
       {Observability::observable, Observability::structural, Observability::host}) {
    if (seen == to_string(known)) return known;
  }
  throw ordered_json::other_error::create(501, "unknown kind of rule \"" + seen + "\"", &rule);
}

ordered_json rules_json(const Report& report) {
  ordered_json list = ordered_json::array();
  for (const RuleVerdict& rule : report.rules) {
    list.push_back({{"rule", rule.rule},
                    {"title", rule.title},
                    {"seen", to_string(rule.seen)},
                    {"conforms", rule.conforms},
                    {"waived", rule.waived},
                    {"cases", counts_json(rule.counts)}});
  }
  return list;
}

[[noreturn]] void refuse(const std::string& what) {
  throw InputError({"REPORT", std::nullopt, std::nullopt, what});
}

Report read_report(const ordered_json& json, const std::string& file) {
  if (!json.is_object() || json.value("format", "") != "chainwalk-report")
    refuse("it is not a chainwalk report");
  if (json.at("version") != report_format_version) {
    refuse(fmt::format("it has version {}; this program reads {}", json.at("version").dump(),
                       report_format_version));
  }
  Report report;
  const ordered_json& run = json.at("run");
  RunHeader& header = report.run.header;
  header.suite_version = integer_at<int>(run, "suite_version");
  header.specification_version = run.at("specification_version");
  header.implementation = run.at("implementation");
  header.profile = run.at("profile");
  header.seed = integer_at<std::uint64_t>(run, "seed");
  header.shard_index = integer_at<std::int64_t>(run, "shard_index");
  header.shard_count = integer_at<std::int64_t>(run, "shard_count");
  report.run.seconds = run.at("seconds");
  report.run.resumed = integer_at<std::int64_t>(run, "resumed");
  report.claim = json.at("claim");
  (void)parse_claim(report.claim);  // whoever shows the report takes it for granted
  report.conforms = json.at("conforms");
  report.waived = integer_at<std::int64_t>(json, "waived");
  report.waivers = parse_waivers(ordered_json{{"waivers", json.at("waivers")}}.dump(), file, "");
  report.counts = counts_from(json.at("counts"));
  report.complaints = json.at("complaints").get<std::vector<std::string>>();
  for (const auto& [name, value] : json.at("environment").items())
    report.environment.emplace_back(name, value.get<std::string>());
  for (const ordered_json& rule : json.at("rules")) {
    report.rules.push_back({rule.at("rule"), rule.at("title"), counts_from(rule.at("cases")),
                            integer_at<std::int64_t>(rule, "waived"), rule.at("conforms"),
                            seen_from(rule)});
  }
  for (const ordered_json& result : json.at("cases"))
    report.run.results.push_back(result_from_json_line(result.dump()));
  return report;
}

}  // namespace

std::string report_json(const Report& report) {
  const RunHeader& header = report.run.header;
  ordered_json json;
  json["format"] = "chainwalk-report";
  json["version"] = report_format_version;
  json["conforms"] = report.conforms;
  json["claim"] = report.claim;
  json["run"] = {{"implementation", header.implementation},
                 {"profile", header.profile},
                 {"seed", header.seed},
                 {"suite_version", header.suite_version},
                 {"specification_version", header.specification_version},
                 {"shard_index", header.shard_index},
                 {"shard_count", header.shard_count},
                 {"seconds", report.run.seconds},
                 {"resumed", report.run.resumed}};
  json["counts"] = counts_json(report.counts);
  json["waived"] = report.waived;
  json["waivers"] = ordered_json::parse(waivers_json(report.waivers)).at("waivers");
  json["complaints"] = report.complaints;
  json["environment"] = ordered_json::object();
  for (const auto& [name, value] : report.environment) json["environment"][name] = value;
  json["rules"] = rules_json(report);
  json["cases"] = ordered_json::array();
  for (const CaseResult& result : report.run.results)
    json["cases"].push_back(ordered_json::parse(to_json_line(result)));
  return json.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Report report_from_json(const std::string& text, const std::string& file) {
  try {
    if (platform::nests_too_deep(text))
      refuse(fmt::format("it nests deeper than {} levels", platform::json_nesting_max));
    return read_report(ordered_json::parse(text), file);
  } catch (const ordered_json::exception& error) {
    refuse(fmt::format("report {}: {}", file, error.what()));
  } catch (const InputError& error) {
    refuse(fmt::format("report {}: {}", file, error.what()));
  }
}

}  // namespace chainwalk::conformance
