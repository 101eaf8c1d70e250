// SPDX-License-Identifier: Apache-2.0
// Coverage for people: text, and a page with a heat map of pairs.
#include "chainwalk/fuzz/status.h"

#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <vector>

#include "chainwalk/conformance/markup.h"
#include "chainwalk/conformance/page_style.h"
#include "chainwalk/fuzz/campaign.h"

namespace chainwalk::fuzz {
namespace {

using conformance::escaped;

// The features that the campaign can have, in the order of the list. A choice that it always takes
// has no pairs worth a row.
std::vector<Feature> features_to_show(const Campaign& campaign) {
  const FeatureSet scope = features_in_scope(campaign);
  std::vector<Feature> shown;
  for (std::size_t index = 0; index < feature_count; ++index) {
    if (scope[index]) shown.push_back(static_cast<Feature>(index));
  }
  return shown;
}

std::string title_of(const LedgerState& state) {
  const LedgerHeader& header = state.header;
  return fmt::format("{} on {} against {}, seed {}: {} cases, {} refused, epoch {} ({} to go)",
                     header.campaign, header.implementation, header.against, header.seed,
                     state.total.cases, state.total.refused, state.epoch, state.epoch_left);
}

// 0 for none, then one step for every factor of four.
int shade_of(std::int64_t count) {
  return count == 0
             ? 0
             : 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count)) - 1) / 2;
}

constexpr int cell = 9;  // pixels
constexpr int label_width = 150;

// The lower triangle: a row and a column for each feature, a square for each pair of different
// axes.
std::string heat_map(const Coverage& coverage, const std::vector<Feature>& scope) {
  const int size = cell * static_cast<int>(scope.size());
  std::string svg = fmt::format(
      "<svg width=\"{}\" height=\"{}\" role=\"img\" aria-label=\"pairs of features\">\n",
      label_width + size + 20, size + 2);
  const auto to = std::back_inserter(svg);
  for (std::size_t row = 0; row < scope.size(); ++row) {
    const int y = cell * static_cast<int>(row);
    fmt::format_to(to, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", label_width - 4,
                   y + cell - 1, info(scope[row]).id);
    for (std::size_t column = 0; column < row; ++column) {
      const bool one_axis = info(scope[row]).axis == info(scope[column]).axis;
      if (one_axis && info(scope[row]).axis != Axis::seen) continue;
      const std::int64_t count = coverage.count(scope[row], scope[column]);
      fmt::format_to(to,
                     "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"s{}\">"
                     "<title>{} with {}: {}</title></rect>\n",
                     label_width + cell * static_cast<int>(column), y, cell - 1, cell - 1,
                     std::min(shade_of(count), 8), info(scope[row]).id, info(scope[column]).id,
                     count);
    }
  }
  return svg + "</svg>\n";
}

constexpr const char* map_style = R"css(
svg text{font:8px ui-monospace,monospace;fill:var(--soft)}
rect{fill:var(--accent)}rect.s0{fill:var(--badbg)}rect.s1{fill-opacity:.15}rect.s2{fill-opacity:.25}
rect.s3{fill-opacity:.35}rect.s4{fill-opacity:.48}rect.s5{fill-opacity:.6}rect.s6{fill-opacity:.73}rect.s7{fill-opacity:.86}
td.left{text-align:left}
)css";

std::string feature_table(const Coverage& coverage, const std::vector<Feature>& scope) {
  std::string html =
      "<div class=\"scroll\"><table><tr><th>axis</th><th>feature</th><th>cases</th>"
      "<th>what it is</th></tr>\n";
  for (const Feature feature : scope) {
    const std::int64_t count = coverage.count(feature);
    html += fmt::format(
        "<tr><td>{}</td><td class=\"left\">{}</td><td class=\"{}\">{}</td>"
        "<td class=\"left\">{}</td></tr>\n",
        to_string(info(feature).axis), info(feature).id, count == 0 ? "bad" : "good", count,
        escaped(info(feature).description));
  }
  return html + "</table></div>\n";
}

std::string findings_html(const Findings& findings) {
  std::string html;
  for (const auto& [key, finding] : findings) {
    html += fmt::format(
        "<div class=\"failure\"><h3>{}</h3><p class=\"why\">{}: {} cases</p><p>{}</p><p>{}</p>"
        "</div>\n",
        escaped(key), to_string(finding.judgement.verdict), finding.count,
        escaped(finding.judgement.text), escaped(finding.judgement.diagnosis));
  }
  return html;
}

}  // namespace

std::string status_text(const LedgerState& state) {
  const Campaign& campaign = find_campaign(state.header.campaign);
  std::string text = title_of(state) + "\n";
  const auto to = std::back_inserter(text);
  const FeatureSet scope = features_in_scope(campaign);
  for (std::size_t axis = 0; axis < drawn_axes; ++axis) {
    if (static_cast<Axis>(axis) == Axis::fault && !campaign.plans) continue;
    fmt::format_to(to, "  {:<10}", to_string(static_cast<Axis>(axis)));
    for (const Feature feature : features_of(static_cast<Axis>(axis))) {
      if (scope[index_of(feature)])
        fmt::format_to(to, " {} {}", info(feature).id, state.total.coverage.count(feature));
    }
    text += "\n";
  }
  std::string unseen;
  for (const Axis axis : {Axis::seen, Axis::decided}) {
    if (axis == Axis::decided && !campaign.plans) continue;
    fmt::format_to(to, "  {:<10}", to_string(axis));
    for (const Feature feature : features_of(axis)) {
      const std::int64_t count = state.total.coverage.count(feature);
      if (count == 0) {
        unseen += fmt::format(" {}", info(feature).id);
      } else {
        fmt::format_to(to, " {} {}", info(feature).id, count);
      }
    }
    text += "\n";
  }
  text += "  not seen  " + (unseen.empty() ? " -" : unseen) + "\n";
  if (!state.total.coverage.edges().empty())
    fmt::format_to(to, "  edges      {}\n", state.total.coverage.edges().size());
  return text;
}

std::string status_html(const LedgerState& state) {
  const Campaign& campaign = find_campaign(state.header.campaign);
  const auto scope = features_to_show(campaign);
  const bool found = !state.total.findings.empty();
  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<title>chainwalk fuzz: {}</title><style>{}{}</style></head><body><main>\n",
      escaped(state.header.campaign), conformance::page_style, map_style);
  html += fmt::format("<div class=\"banner{}\"><h1>{}</h1><p>{}</p></div>\n", found ? " bad" : "",
                      found ? fmt::format("{} findings", state.total.findings.size())
                            : std::string("Nothing found"),
                      escaped(title_of(state)));
  html += findings_html(state.total.findings);
  html +=
      "<h2>Pairs of features</h2><p class=\"soft\">A square for each pair: darker is more cases, "
      "red is none.</p><div class=\"scroll\">\n" +
      heat_map(state.total.coverage, scope) + "</div>\n<h2>Features</h2>\n" +
      feature_table(state.total.coverage, scope);
  return html + "</main></body></html>\n";
}

}  // namespace chainwalk::fuzz
