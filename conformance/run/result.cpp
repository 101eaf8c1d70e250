// SPDX-License-Identifier: Apache-2.0
// Results as lines of JSON.
#include "chainwalk/conformance/result.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "chainwalk/spec/fault.h"
#include "json_integer.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::json;

constexpr std::array verdicts{std::pair{Verdict::pass, "pass"},
                              std::pair{Verdict::fail, "fail"},
                              std::pair{Verdict::crash, "crash"},
                              std::pair{Verdict::hang, "hang"},
                              std::pair{Verdict::unsupported, "unsupported"},
                              std::pair{Verdict::not_run, "not_run"}};

json difference_json(const Difference& difference) {
  return {{"tensor", difference.tensor}, {"row", difference.row},
          {"column", difference.column}, {"expected", difference.expected},
          {"actual", difference.actual}, {"count", difference.count}};
}

Difference difference_from(const json& from) {
  return {from.at("tensor"),
          integer_at<std::int64_t>(from, "row"),
          integer_at<std::int64_t>(from, "column"),
          from.at("expected"),
          from.at("actual"),
          integer_at<std::int64_t>(from, "count")};
}

CaseResult result_from(const json& from) {
  CaseResult result;
  result.case_id = from.at("case");
  const auto verdict = parse_verdict(from.at("verdict"));
  if (!verdict) throw json::other_error::create(501, "unknown verdict", &from);
  result.verdict = *verdict;
  result.rules = from.at("rules").get<std::vector<std::string>>();
  result.text = from.at("text");
  if (from.contains("difference")) result.difference = difference_from(from["difference"]);
  if (from.contains("diagnosis")) result.diagnosis = from["diagnosis"].get<std::string>();
  result.broken_rules = from.at("broken_rules").get<std::vector<std::string>>();
  result.replay_file = from.at("replay");
  const json& place = from.at("coordinates");
  result.coordinates = {place.at("bank"), place.at("snapshot"), place.at("head_class"),
                        integer_at<std::int64_t>(place, "head_dim"), place.at("geometry")};
  result.seconds = from.at("seconds");
  result.output_hash = integer_at<std::uint64_t>(from, "output_hash");
  return result;
}

}  // namespace

const char* to_string(Verdict verdict) noexcept {
  for (const auto& [known, name] : verdicts) {
    if (known == verdict) return name;
  }
  return "unknown";
}

std::optional<Verdict> parse_verdict(const std::string& text) noexcept {
  for (const auto& [verdict, name] : verdicts) {
    if (text == name) return verdict;
  }
  return std::nullopt;
}

bool is_failure(const CaseResult& result) noexcept {
  return result.verdict == Verdict::fail || result.verdict == Verdict::crash ||
         result.verdict == Verdict::hang;
}

std::string to_json_line(const CaseResult& result) {
  json line{{"case", result.case_id},
            {"verdict", to_string(result.verdict)},
            {"rules", result.rules},
            {"text", result.text},
            {"broken_rules", result.broken_rules},
            {"replay", result.replay_file},
            {"coordinates",
             {{"bank", result.coordinates.bank},
              {"snapshot", result.coordinates.snapshot},
              {"head_class", result.coordinates.head_class},
              {"head_dim", result.coordinates.head_dim},
              {"geometry", result.coordinates.geometry}}},
            {"seconds", result.seconds},
            {"output_hash", result.output_hash}};
  if (result.difference) line["difference"] = difference_json(*result.difference);
  if (result.diagnosis) line["diagnosis"] = *result.diagnosis;
  // An implementation's text may hold any bytes; a report is always valid UTF-8.
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

CaseResult result_from_json_line(const std::string& line) {
  try {
    return result_from(json::parse(line));
  } catch (const json::exception& error) {
    throw InputError({"RESULT", std::nullopt, std::nullopt,
                      fmt::format("not a case result ({}): {:.200}", error.what(), line)});
  }
}

}  // namespace chainwalk::conformance
