// SPDX-License-Identifier: Apache-2.0
// Merging and JSON of findings and outcomes.
#include "chainwalk/fuzz/finding.h"

#include <fmt/format.h>

#include <limits>

#include "chainwalk/platform/json_nesting.h"
#include "json_fields.h"

namespace chainwalk::fuzz {

using Json = nlohmann::ordered_json;

void merge(Findings& into, const Findings& other) {
  for (const auto& [key, finding] : other) {
    const auto [found, fresh] = into.emplace(key, finding);
    if (fresh) continue;
    const std::int64_t count = found->second.count + finding.count;
    if (finding.first < found->second.first) found->second = finding;
    found->second.count = count;
  }
}

std::int64_t add_fingerprints(std::int64_t a, std::int64_t b) noexcept {
  constexpr auto mask = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>((static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b)) &
                                   mask);
}

void RangeOutcome::merge(const RangeOutcome& other) {
  cases += other.cases;
  refused += other.refused;
  fingerprints = add_fingerprints(fingerprints, other.fingerprints);
  coverage.merge(other.coverage);
  fuzz::merge(findings, other.findings);
}

Json to_json(const Judgement& judgement) {
  Json json{{"verdict", conformance::to_string(judgement.verdict)},
            {"key", judgement.key},
            {"text", judgement.text},
            {"diagnosis", judgement.diagnosis}};
  if (const auto& difference = judgement.difference) {
    json["difference"] = {{"tensor", difference->tensor}, {"row", difference->row},
                          {"column", difference->column}, {"expected", difference->expected},
                          {"actual", difference->actual}, {"count", difference->count}};
  }
  return json;
}

Judgement judgement_from_json(const Json& json) {
  return read_json("judgement", [&] {
    Judgement judgement;
    const auto verdict = conformance::parse_verdict(json.at("verdict").get<std::string>());
    if (!verdict) refuse_json("a verdict is needed, not", json.at("verdict"));
    judgement.verdict = *verdict;
    judgement.key = json.at("key");
    judgement.text = json.at("text");
    judgement.diagnosis = json.at("diagnosis");
    if (json.contains("difference")) {
      const Json& from = json["difference"];
      judgement.difference = {from.at("tensor"),
                              whole_number(from.at("row")),
                              whole_number(from.at("column")),
                              from.at("expected"),
                              from.at("actual"),
                              whole_number(from.at("count"))};
    }
    return judgement;
  });
}

Json to_json(const Findings& findings) {
  Json list = Json::array();
  for (const auto& [key, finding] : findings) {
    list.push_back({{"judgement", to_json(finding.judgement)},
                    {"epoch", finding.first.epoch},
                    {"index", finding.first.index},
                    {"count", finding.count}});
  }
  return list;
}

Findings findings_from_json(const Json& json) {
  return read_json("findings", [&] {
    Findings findings;
    for (const Json& entry : json) {
      Finding finding{judgement_from_json(entry.at("judgement")),
                      {natural(entry.at("epoch")), natural(entry.at("index"))},
                      natural(entry.at("count"))};
      const std::string key = finding.judgement.key;
      if (key.empty()) refuse_json("a finding without a key", entry);
      findings.emplace(key, std::move(finding));
    }
    return findings;
  });
}

Json to_json(const Range& range) {
  return {{"epoch", range.epoch}, {"first", range.first}, {"count", range.count}};
}

Range range_from_json(const Json& json) {
  return read_json("range", [&] {
    return Range{natural(json.at("epoch")), natural(json.at("first")), natural(json.at("count"))};
  });
}

Json to_json(const RangeOutcome& outcome) {
  return {{"cases", outcome.cases},
          {"refused", outcome.refused},
          {"fingerprints", outcome.fingerprints},
          {"coverage", to_json(outcome.coverage)},
          {"findings", to_json(outcome.findings)}};
}

RangeOutcome outcome_from_json(const Json& json) {
  return read_json("outcome", [&] {
    return RangeOutcome{natural(json.at("cases")), natural(json.at("refused")),
                        natural(json.at("fingerprints")), coverage_from_json(json.at("coverage")),
                        findings_from_json(json.at("findings"))};
  });
}

Json to_json(const RangeDone& done) {
  Json left = Json::array();
  for (const Range& part : done.left) left.push_back(to_json(part));
  return {{"range", to_json(done.range)}, {"outcome", to_json(done.outcome)}, {"left", left}};
}

// Every case of the range is of the outcome or of a part that is left.
RangeDone done_from_json(const Json& json) {
  return read_json("a range that is done", [&] {
    RangeDone done{range_from_json(json.at("range")), outcome_from_json(json.at("outcome")), {}};
    std::int64_t missing = done.range.count - done.outcome.cases;
    std::int64_t at = done.range.first;
    for (const Json& entry : json.at("left")) {
      const Range part = range_from_json(entry);
      if (part.epoch != done.range.epoch || part.first < at || part.count > missing ||
          part.first - done.range.first > done.range.count - part.count)
        refuse_json("a part of the range that follows the others is needed, not", entry);
      done.left.push_back(part);
      at = part.first + part.count;
      missing -= part.count;
    }
    if (missing != 0) refuse_json("cases of the range are missing or too many", json);
    return done;
  });
}

Json parse_json(const std::string& text, const std::string& what) {
  if (platform::nests_too_deep(text)) {
    throw InputError(
        {"FUZZ", std::nullopt, std::nullopt,
         fmt::format("{} nests deeper than {} levels", what, platform::json_nesting_max)});
  }
  try {
    return Json::parse(text);
  } catch (const Json::exception& error) {
    throw InputError({"FUZZ", std::nullopt, std::nullopt, what + " is not JSON: " + error.what()});
  }
}

}  // namespace chainwalk::fuzz
