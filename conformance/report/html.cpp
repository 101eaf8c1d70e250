// SPDX-License-Identifier: Apache-2.0
// Reports as one self-contained page: verdict per rule, coverage as heat maps, failures with what
// explains them, environment.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "chainwalk/conformance/markup.h"
#include "chainwalk/conformance/page_style.h"
#include "chainwalk/conformance/report.h"

namespace chainwalk::conformance {
namespace {

constexpr std::size_t failures_detailed = 60;

std::string counts_phrase(const VerdictCounts& counts, std::int64_t waived) {
  std::string text;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    if (counts[index] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[index],
                        to_string(static_cast<Verdict>(index)));
  }
  if (waived != 0) text += fmt::format(", {} waived", waived);
  return text;
}

// What the diagnoses come to, the commonest first.
std::string causes(const Report& report) {
  std::map<std::string, std::int64_t> counts;
  const Claim scope = parse_claim(report.claim);
  for (const CaseResult& result : report.run.results) {
    if (is_failure(result) && result.diagnosis && scope.covers(result.coordinates))
      ++counts[*result.diagnosis];
  }
  std::vector<std::pair<std::string, std::int64_t>> ordered(counts.begin(), counts.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string html;
  for (const auto& [sentence, count] : ordered) {
    html += fmt::format("<p class=\"cause\"><b>{}</b> {}</p>\n",
                        count == 1 ? "1 case" : fmt::format("{} cases", count), escaped(sentence));
  }
  return html;
}

std::string banner(const Report& report) {
  const RunHeader& header = report.run.header;
  const RuleCount counted = count_rules(report);
  std::string html = fmt::format(
      "<div class=\"banner{}\"><h1>{} {}</h1><p>{} of {} rules under specification "
      "{}{}</p></div>\n",
      report.conforms ? "" : " bad", escaped(header.implementation),
      report.conforms ? "conforms" : "does not conform", counted.conforming, counted.counted,
      escaped(header.specification_version),
      report.claim.empty() ? "" : ", claim " + escaped(report.claim));
  html += "<div class=\"tiles\">";
  for (std::size_t index = 0; index < report.counts.size(); ++index) {
    if (report.counts[index] == 0 && index > 1) continue;
    html += fmt::format("<div class=\"tile\"><b>{}</b>{}</div>", report.counts[index],
                        to_string(static_cast<Verdict>(index)));
  }
  html += fmt::format("<div class=\"tile\"><b>{:.1f} s</b>profile {}</div>", report.run.seconds,
                      escaped(header.profile));
  html += fmt::format("<div class=\"tile\"><b>{}</b>seed</div></div>\n", header.seed);
  for (const std::string& complaint : report.complaints)
    html += fmt::format("<p class=\"banner bad\">{}</p>\n", escaped(complaint));
  return html + causes(report);
}

std::string rules_section(const Report& report) {
  std::string html = "<h2>Verdict per rule</h2>\n<div class=\"rules\">\n";
  for (const RuleVerdict& rule : report.rules) {
    const std::string seen = rule.seen == Observability::observable
                                 ? ""
                                 : fmt::format(", {}: not counted", to_string(rule.seen));
    html += fmt::format("<div class=\"rule{}\"><b>{}</b> {}<small>{}{}</small></div>\n",
                        rule.conforms ? "" : " bad", escaped(rule.rule), escaped(rule.title),
                        counts_phrase(rule.counts, rule.waived), seen);
  }
  return html + "</div>\n";
}

struct Cell {
  std::int64_t passed = 0, failed = 0, other = 0;
};

std::string cell_html(const Cell& cell) {
  if (cell.failed != 0)
    return fmt::format("<td class=\"bad\">{} / {}</td>", cell.failed,
                       cell.failed + cell.passed + cell.other);
  if (cell.other != 0 && cell.passed == 0)
    return fmt::format("<td class=\"odd\">{} not passed</td>", cell.other);
  if (cell.passed != 0)
    return fmt::format("<td class=\"{}\">{}</td>", cell.other == 0 ? "good" : "odd", cell.passed);
  return "<td class=\"none\">&middot;</td>";
}

using Cells = std::map<std::string, Cell>;  // by column

std::int64_t cases_of(const Cells& cells) {
  std::int64_t all = 0;
  for (const auto& [column, cell] : cells) all += cell.passed + cell.failed + cell.other;
  return all;
}

void add(Cells& to, const Cells& from) {
  for (const auto& [column, cell] : from) {
    to[column].passed += cell.passed;
    to[column].failed += cell.failed;
    to[column].other += cell.other;
  }
}

// Rows by head size. Drawn sizes have a case or two each: neighbours with few share a row, "33 to
// 47".
std::vector<std::pair<std::string, Cells>> gathered(const std::map<std::int64_t, Cells>& rows) {
  constexpr std::int64_t few = 6;
  std::vector<std::pair<std::string, Cells>> gathered;
  bool open = false;
  std::int64_t first = 0;
  for (const auto& [head_dim, cells] : rows) {
    const bool sparse = cases_of(cells) < few;
    if (!sparse || !open) {
      gathered.emplace_back(std::to_string(head_dim), cells);
      first = head_dim;
    } else {
      gathered.back().first = fmt::format("{} to {}", first, head_dim);
      add(gathered.back().second, cells);
    }
    open = sparse;
  }
  return gathered;
}

// One table: rows by head size, columns by the key that `column_of` gives.
template <typename ColumnOf>
std::string heat_map(const Report& report, const std::string& title, const ColumnOf& column_of) {
  std::map<std::int64_t, Cells> rows;
  std::set<std::string> columns;
  for (const CaseResult& result : report.run.results) {
    if (result.coordinates.head_dim == 0) continue;
    const std::string column = column_of(result.coordinates);
    Cell& cell = rows[result.coordinates.head_dim][column];
    columns.insert(column);
    cell.passed += result.verdict == Verdict::pass;
    cell.failed += is_failure(result);
    cell.other += result.verdict == Verdict::unsupported || result.verdict == Verdict::not_run;
  }
  std::string html =
      fmt::format("<h3>{}</h3><div class=\"scroll\"><table><tr><th>head size</th>", title);
  for (const std::string& column : columns) html += fmt::format("<th>{}</th>", escaped(column));
  html += "</tr>\n";
  for (const auto& [head_dims, cells] : gathered(rows)) {
    html += fmt::format("<tr><th>{}</th>", head_dims);
    for (const std::string& column : columns) {
      const auto found = cells.find(column);
      html += cell_html(found == cells.end() ? Cell{} : found->second);
    }
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

std::string coverage_section(const Report& report) {
  std::string html =
      "<h2>Where the cases lie</h2>\n<p class=\"soft\">Cases that passed, or failed / all. A dot: "
      "no case there.</p>\n";
  html += heat_map(report, "Bank type and snapshot form",
                   [](const Coordinates& place) { return place.bank + " " + place.snapshot; });
  html +=
      heat_map(report, "Launch geometry", [](const Coordinates& place) { return place.geometry; });
  return html;
}

// A picture with its own style sheet must not meet the page's: it stands in an image.
std::string image_of(const std::string& svg) {
  std::string html = "<img alt=\"the chunk of the first difference\" src=\"data:image/svg+xml,";
  for (const char letter : svg) {
    if (letter == '\n' || std::string_view("%#\"<>&'").find(letter) != std::string_view::npos) {
      html += fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(letter)));
    } else {
      html += letter;
    }
  }
  return html + "\">";
}

std::string detail_html(const FailureDetail& detail) {
  std::string html;
  if (!detail.size.empty()) {
    html += fmt::format("<p>Problem: {}{}</p>\n", escaped(detail.size),
                        detail.original.empty()
                            ? ""
                            : fmt::format(" <span class=\"soft\">(shrunk from {})</span>",
                                          escaped(detail.original)));
  }
  if (!detail.picture.empty())
    html += fmt::format("<div class=\"scroll picture\">{}</div>\n", image_of(detail.picture));
  if (!detail.chain.empty()) {
    html += fmt::format(
        "<p class=\"soft\">How the reference gets the first column that differs, f32 bits in "
        "hex:</p><div class=\"scroll\"><pre class=\"mono\">{}</pre></div>\n",
        escaped_lines(detail.chain));
  }
  return html;
}

std::string failure_html(const CaseResult& result, const FailureDetail& detail,
                         const Waiver* waiver) {
  std::string html = fmt::format("<div class=\"failure\"><h3>{} <code>{}</code></h3>",
                                 to_string(result.verdict), escaped(result.case_id));
  if (result.diagnosis) html += fmt::format("<p class=\"why\">{}</p>", escaped(*result.diagnosis));
  html += fmt::format("<p>{}</p>", escaped(result.text));
  if (waiver != nullptr) {
    html += fmt::format("<p class=\"soft\">waived until {}: {} ({})</p>", waiver->expires,
                        escaped(waiver->reason), escaped(waiver->link));
  }
  if (result.difference) {
    const Difference& first = *result.difference;
    html += fmt::format(
        "<p>First difference: <b>{}</b> row {} column {}: expected <span class=\"hex "
        "mono\">{}</span>, found <span class=\"hex mono\">{}</span>; {} in this tensor.</p>",
        escaped(first.tensor), first.row, first.column, escaped(first.expected),
        escaped(first.actual), first.count);
  }
  html += detail_html(detail);
  const auto& named = result.broken_rules.empty() ? result.rules : result.broken_rules;
  std::string rules;
  for (const std::string& rule : std::set<std::string>(named.begin(), named.end()))
    rules += (rules.empty() ? "" : ", ") + rule;
  const Coordinates& place = result.coordinates;
  html += fmt::format(
      "<p class=\"soft\">{} &middot; {} bank, snapshot {}, head size {} ({}), {} &middot; {:.3f} "
      "s</p>",
      escaped(rules), escaped(place.bank), escaped(place.snapshot), place.head_dim,
      escaped(place.head_class), escaped(place.geometry), result.seconds);
  if (!result.replay_file.empty())
    html += fmt::format("<p><code>chainwalk replay {}</code></p>", escaped(result.replay_file));
  return html + "</div>\n";
}

std::string failures_section(const Report& report) {
  std::string html;
  std::size_t shown = 0;
  std::size_t all = 0;
  const Claim scope = parse_claim(report.claim);
  // Cases that the diagnosis explains come first: they say the most.
  for (const bool explained : {true, false}) {
    for (const CaseResult& result : report.run.results) {
      if (!is_failure(result) || !scope.covers(result.coordinates)) continue;
      if (result.broken_rules.empty() == explained) continue;
      ++all;
      if (shown < failures_detailed) {
        const auto detail = report.details.find(result.case_id);
        html +=
            failure_html(result, detail == report.details.end() ? FailureDetail{} : detail->second,
                         waiver_of(report, result));
        ++shown;
      }
    }
  }
  if (all == 0) return "<h2>Failures</h2>\n<p>None.</p>\n";
  if (all > shown)
    html += fmt::format("<p class=\"soft\">{} more are in report.json.</p>\n", all - shown);
  return fmt::format("<h2>Failures ({})</h2>\n", all) + html;
}

std::string unmet_section(const Report& report) {
  std::map<std::string, std::int64_t> reasons;
  const Claim scope = parse_claim(report.claim);
  for (const CaseResult& result : report.run.results) {
    if (!scope.covers(result.coordinates)) continue;
    if (result.verdict == Verdict::unsupported || result.verdict == Verdict::not_run) {
      ++reasons[fmt::format("{}: {}", to_string(result.verdict), result.text)];
    }
  }
  if (reasons.empty()) return {};
  std::string html = "<h2>Unsupported and not run</h2>\n<ul>\n";
  for (const auto& [reason, count] : reasons)
    html += fmt::format("<li>{} cases: {}</li>\n", count, escaped(reason));
  return html + "</ul>\n";
}

std::string environment_section(const Report& report) {
  std::string html = "<h2>Environment</h2>\n<dl>\n";
  for (const auto& [name, value] : report.environment)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(name), escaped(value));
  return html + "</dl>\n";
}

std::string hashes_section(const Report& report) {
  std::string html =
      "<h2>Hashes</h2>\n<details><summary>Output hash of every case</summary><div "
      "class=\"scroll\"><table><tr><th>case</th><th>verdict</th><th>XXH3</th></tr>\n";
  for (const CaseResult& result : report.run.results) {
    if (result.output_hash == 0) continue;
    html += fmt::format("<tr><td>{}</td><td>{}</td><td class=\"mono\">{:016x}</td></tr>\n",
                        escaped(result.case_id), to_string(result.verdict), result.output_hash);
  }
  return html + "</table></div></details>\n";
}

}  // namespace

std::string report_html(const Report& report) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">";
  html += fmt::format("<title>Chainwalk: {}</title><style>{}</style></head><body><main>\n",
                      escaped(report.run.header.implementation), page_style);
  html += banner(report) + rules_section(report) + failures_section(report) +
          unmet_section(report) + coverage_section(report) + environment_section(report) +
          hashes_section(report);
  return html + "</main></body></html>\n";
}

}  // namespace chainwalk::conformance
