// SPDX-License-Identifier: Apache-2.0
// Verdicts and results of cases: what a worker reports, a journal holds and a report shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chainwalk::conformance {

// Only pass is pass. unsupported carries the implementation's reason; not_run says why.
enum class Verdict : std::uint8_t { pass, fail, crash, hang, unsupported, not_run };
const char* to_string(Verdict verdict) noexcept;
std::optional<Verdict> parse_verdict(const std::string& text) noexcept;

// The first element that differs, and how many do.
struct Difference {
  std::string tensor;  // "bank", "snapshot", "payload", "scale", "guard", "input"
  std::int64_t row = 0;
  std::int64_t column = 0;
  std::string expected;    // hex
  std::string actual;      // hex
  std::int64_t count = 0;  // differing elements of this tensor
};

// Where a case lies in the space of problems, for coverage maps.
struct Coordinates {
  std::string bank;        // "bf16"
  std::string snapshot;    // "fp8"
  std::string head_class;  // "regular"
  std::int64_t head_dim = 0;
  std::string geometry;  // "nw 8, K 2, kernel slices_..."
};

struct CaseResult {
  std::string case_id;
  Verdict verdict = Verdict::not_run;
  std::vector<std::string> rules;  // rules that the case exercises
  std::string text;                // reason, finding or error; one paragraph
  std::optional<Difference> difference;
  std::optional<std::string> diagnosis;   // "no restart after an invalid LAST (ARI-4)"
  std::vector<std::string> broken_rules;  // rules that the diagnosis names
  std::string replay_file;                // relative to the report folder; empty when there is none
  Coordinates coordinates;
  double seconds = 0;
  std::uint64_t output_hash = 0;  // XXH3 of every compared output, 0 when none
};

// Whether the verdict is fail, crash or hang.
bool is_failure(const CaseResult& result) noexcept;

// One line of JSON and back; from_json_line throws chainwalk::InputError.
std::string to_json_line(const CaseResult& result);
CaseResult result_from_json_line(const std::string& line);

}  // namespace chainwalk::conformance
