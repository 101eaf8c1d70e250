// SPDX-License-Identifier: Apache-2.0
// Reports for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "chainwalk/conformance/report.h"

namespace chainwalk::conformance {
namespace {

constexpr std::size_t failures_shown = 10;

class Painter {
 public:
  explicit Painter(bool color) : color_(color) {}
  std::string good(const std::string& text) const { return paint(text, 32); }
  std::string bad(const std::string& text) const { return paint(text, 31); }
  std::string dim(const std::string& text) const { return paint(text, 2); }

 private:
  std::string paint(const std::string& text, int code) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  bool color_;
};

std::string counts_text(const VerdictCounts& counts) {
  std::string text;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    if (counts[index] == 0) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{} {}", counts[index], to_string(static_cast<Verdict>(index)));
  }
  return text.empty() ? "no cases" : text;
}

// An implementation's text may hold anything: no control character of it reaches the terminal.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char letter) {
        const auto code = static_cast<unsigned char>(letter);
        return (code < 0x20 && letter != '\n') || code == 0x7F;
      },
      '?');
  return text;
}

void add_failure(std::string& out, const CaseResult& result, const Painter& paint) {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\n{} {}\n  {}\n", paint.bad(to_string(result.verdict)), result.case_id,
                 printable(result.text));
  if (result.difference) {
    const Difference& first = *result.difference;
    fmt::format_to(
        to, "  first difference: {} row {} column {}: expected {}, found {} ({} in this tensor)\n",
        first.tensor, first.row, first.column, first.expected, first.actual, first.count);
  }
  if (result.diagnosis) fmt::format_to(to, "  {}\n", *result.diagnosis);
  if (!result.replay_file.empty())
    fmt::format_to(to, "  chainwalk replay {}\n", result.replay_file);
}

void add_waivers(std::string& out, const Report& report) {
  const Claim scope = parse_claim(report.claim);
  for (const Waiver& waiver : report.waivers) {
    const auto count = std::count_if(
        report.run.results.begin(), report.run.results.end(), [&](const CaseResult& result) {
          return scope.covers(result.coordinates) && waiver_of(report, result) == &waiver;
        });
    fmt::format_to(std::back_inserter(out), "\nwaived {}: {} case{}, until {}: {} ({})\n",
                   waiver.rule.empty() ? waiver.case_id : waiver.rule, count, count == 1 ? "" : "s",
                   waiver.expires, waiver.reason, waiver.link);
  }
}

}  // namespace

std::string report_text(const Report& report, bool color) {
  const Painter paint(color);
  std::string out;
  auto to = std::back_inserter(out);
  const RunHeader& header = report.run.header;
  fmt::format_to(to, "{} under specification {}: profile {}, seed {}{}\n\n", header.implementation,
                 header.specification_version, header.profile, header.seed,
                 report.claim.empty() ? "" : ", claim " + report.claim);
  for (const RuleVerdict& rule : report.rules) {
    const std::string mark = rule.conforms ? paint.good("pass") : paint.bad("FAIL");
    fmt::format_to(to, "  {}  {:<7} {}  {}\n", mark, rule.rule, rule.title,
                   paint.dim(counts_text(rule.counts)));
  }
  std::size_t shown = 0;
  std::size_t failures = 0;
  const Claim scope = parse_claim(report.claim);
  for (const CaseResult& result : report.run.results) {
    if (!scope.covers(result.coordinates)) continue;
    if (!is_failure(result) || waiver_of(report, result) != nullptr) continue;
    ++failures;
    if (shown++ < failures_shown) add_failure(out, result, paint);
  }
  if (failures > failures_shown)
    fmt::format_to(to, "\n... and {} more, in the report\n", failures - failures_shown);
  add_waivers(out, report);
  for (const std::string& complaint : report.complaints)
    fmt::format_to(to, "\n{}\n", paint.bad(complaint));
  const RuleCount counted = count_rules(report);
  fmt::format_to(to, "\n{}: {} of {} rules; cases: {}{}; {:.1f} s\n",
                 report.conforms ? paint.good("conforms") : paint.bad("does not conform"),
                 counted.conforming, counted.counted, counts_text(report.counts),
                 report.waived == 0 ? "" : fmt::format(", {} waived", report.waived),
                 report.run.seconds);
  return out;
}

}  // namespace chainwalk::conformance
