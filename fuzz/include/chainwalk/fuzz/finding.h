// SPDX-License-Identifier: Apache-2.0
// Findings, ranges of cases and their outcomes: values that are sent between processes and merged
// in any order.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "chainwalk/conformance/result.h"
#include "chainwalk/fuzz/coverage.h"

namespace chainwalk::fuzz {

// What one run of one case showed. `key` names the kind of failure ("no-restart-after-invalid",
// "signal-11", "hang", "bank"), is empty where nothing is wrong, and is fit for a file name:
// findings with equal keys count as one.
struct Judgement {
  conformance::Verdict verdict = conformance::Verdict::not_run;
  std::string key;
  std::string text;       // one paragraph
  std::string diagnosis;  // "reproduced by: ..."; may be empty
  std::optional<conformance::Difference> difference;
  std::int32_t refusal = 0;  // cw_refusal of a request, where only that is decided; not in JSON
};

struct Finding {
  Judgement judgement;     // of the first case
  CasePlace first;         // the least place that shows it
  std::int64_t count = 0;  // cases that show it
};
using Findings = std::map<std::string, Finding>;  // by key
void merge(Findings& into, const Findings& other);

// Cases [first, first + count) of an epoch.
struct Range {
  std::int64_t epoch = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;

  friend auto operator<=>(const Range&, const Range&) = default;
};

// Both 0..2^63 - 1; the sum modulo 2^63.
std::int64_t add_fingerprints(std::int64_t a, std::int64_t b) noexcept;

struct RangeOutcome {
  std::int64_t cases = 0;
  std::int64_t refused = 0;  // cases that the implementation does not support
  // The sum, modulo 2^63, of fingerprint() over the cases: equal sums are equal cases.
  std::int64_t fingerprints = 0;
  Coverage coverage;
  Findings findings;

  // The two have no case in common.
  void merge(const RangeOutcome& other);
};

// A range that its taker is done with: what was run of it, and the parts that were not, where it
// was asked to stop.
struct RangeDone {
  Range range;
  RangeOutcome outcome;
  std::vector<Range> left;
};

// from_json throws chainwalk::InputError for anything that to_json does not write.
nlohmann::ordered_json to_json(const Judgement& judgement);
Judgement judgement_from_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const Findings& findings);
Findings findings_from_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const Range& range);
Range range_from_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const RangeOutcome& outcome);
RangeOutcome outcome_from_json(const nlohmann::ordered_json& json);
nlohmann::ordered_json to_json(const RangeDone& done);
RangeDone done_from_json(const nlohmann::ordered_json& json);

// `text` as a JSON document; InputError that begins with `what` where it is none.
nlohmann::ordered_json parse_json(const std::string& text, const std::string& what);

}  // namespace chainwalk::fuzz
