// SPDX-License-Identifier: Apache-2.0
// From the results of a run to a verdict per rule, and to the files that people and programs read.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chainwalk/conformance/required.h"
#include "chainwalk/conformance/run.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// One exception that a person has allowed, by rule or by case. A waiver of wrong answers still runs
// its cases; one of the crash class never launches them. A waived case that passes is a failure.
struct Waiver {
  std::string rule;     // "QNT-10"; empty where `case_id` is given
  std::string case_id;  // a case, or a prefix that ends in '*'
  std::string reason;   // not empty
  std::string link;     // where it is tracked; not empty
  std::string expires;  // "YYYY-MM-DD": void after that day
  bool crash_class = false;

  friend bool operator==(const Waiver&, const Waiver&) = default;
};

// Reads a waiver file: {"waivers": [{"rule" or "case", "reason", "link", "expires",
// "crash_class"}]}. `today` is "YYYY-MM-DD". InputError for anything malformed, unknown rules and
// expired waivers.
std::vector<Waiver> parse_waivers(const std::string& text, const std::string& file,
                                  const std::string& today);
std::string waivers_json(const std::vector<Waiver>& waivers);  // such a file
// InputError for a waiver of cases that no profile has: one of the crash class would launch what it
// is to keep from being launched.
void require_known_cases(const std::vector<Waiver>& waivers, const std::string& file,
                         std::uint64_t seed);
// The first waiver that names the result's case or one of its rules; null where none does.
const Waiver* find_waiver(const std::vector<Waiver>& waivers, const CaseResult& result);

// What a claim covers: every bank type and snapshot form unless named.
struct Claim {
  std::vector<std::string> banks;      // "bf16", "f32"
  std::vector<std::string> snapshots;  // "none", "raw", "bf16", "fp8", "int4"
  bool covers(const Coordinates& coordinates) const;
};
// "bf16,none,raw": words are bank types and snapshot forms ("bf16" is the bank type; "bf16-rows"
// the form); "" covers everything. InputError for an unknown word.
Claim parse_claim(const std::string& text);

using VerdictCounts = std::array<std::int64_t, 6>;  // indexed by Verdict

struct RuleVerdict {
  std::string rule;
  std::string title;
  VerdictCounts counts{};
  std::int64_t waived = 0;
  bool conforms = false;  // every case in scope passed or is waived, and there is at least one pass
  Observability seen = Observability::observable;  // a claim counts observable rules only
};

using Facts = std::vector<std::pair<std::string, std::string>>;

// What the page shows of a failure besides its result. Any text may be empty.
struct FailureDetail {
  std::string size;      // of the problem shown: size_phrase()
  std::string original;  // what the problem was shrunk from
  std::string picture;   // the chunk of the first difference as SVG
  std::string chain;     // how the reference gets the column that differs first, lines of hex
};

// `problem` has passed validate(), flags excepted; those get no picture and no chain.
FailureDetail detail_of(const Problem& problem, const std::optional<Difference>& difference);

struct Report {
  RunOutcome run;
  Facts environment;               // name and value, in the order shown
  std::string claim;               // as given
  std::vector<RuleVerdict> rules;  // rules that a case in scope names, in the specification's order
  VerdictCounts counts{};          // of cases in scope
  std::int64_t waived = 0;
  std::vector<Waiver> waivers;          // those that the verdicts were made under
  std::vector<std::string> complaints;  // why it does not conform, besides failing cases
  bool conforms = false;
  std::map<std::string, FailureDetail> details;  // by case id; shown on the page, not kept in JSON
};

// `required` (required_rules(), or empty) adds a complaint for each rule of which a required recipe
// has cases in scope but none that ran; a shard of a run is a part and is not asked for it.
Report make_report(RunOutcome run, Facts environment, const std::string& claim,
                   const std::vector<Waiver>& waivers, std::span<const RequiredRule> required = {});

// Observable rules of a report: those that conform, and all.
struct RuleCount {
  std::int64_t conforming = 0, counted = 0;
};
RuleCount count_rules(const Report& report);

// Compiler, kernel, processor, versions of Chainwalk and of the specification.
Facts host_environment();

// The waiver that lets the report conform although the result did not pass; null where there is
// none.
const Waiver* waiver_of(const Report& report, const CaseResult& result);

// Report files. JSON follows docs/report.schema.json; from_json throws InputError.
std::string report_json(const Report& report);
Report report_from_json(const std::string& text, const std::string& file);
std::string report_junit(const Report& report);
std::string report_html(const Report& report);
std::string report_text(const Report& report, bool color);

// A report with the name that messages call it by.
struct NamedReport {
  std::string file;
  Report report;
};

// One report of a run whose shards ran apart, as if it had run in one. InputError names the files:
// shards of different runs, claims or waivers; a shard, or a case of it, missing, there twice or of
// another shard; a suite that this program does not know.
Report merge_reports(std::vector<NamedReport> shards, std::span<const RequiredRule> required);

// What changed between two runs, case by case: one line each.
struct ReportDifference {
  std::vector<std::string> verdicts;  // "ARI/...: pass -> fail"
  std::vector<std::string> bits;      // passed in both with different output hashes
  std::vector<std::string> missing;   // in one of the two only
};
ReportDifference compare_reports(const Report& first, const Report& second);

}  // namespace chainwalk::conformance
