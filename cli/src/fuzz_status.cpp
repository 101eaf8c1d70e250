// SPDX-License-Identifier: Apache-2.0
// Summaries and status of campaigns.
#include "fuzz_status.h"

#include <algorithm>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/fuzz/status.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "fuzz_findings.h"
#include "output.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

// Findings named in a summary of ten lines.
constexpr std::size_t findings_named = 5;

struct Covered {
  std::int64_t drawn = 0, drawable = 0, seen = 0, seeable = 0;
};

Covered covered_of(const fuzz::Campaign& campaign, const fuzz::Coverage& coverage) {
  Covered covered;
  const fuzz::FeatureSet scope = fuzz::features_in_scope(campaign);
  for (std::size_t index = 0; index < fuzz::feature_count; ++index) {
    const auto feature = static_cast<fuzz::Feature>(index);
    if (!scope[index]) continue;
    const bool met = coverage.count(feature) != 0;
    ++(fuzz::is_drawn(feature) ? covered.drawable : covered.seeable);
    (fuzz::is_drawn(feature) ? covered.drawn : covered.seen) += met;
  }
  return covered;
}

Json finding_json(const std::string& key, const fuzz::Finding& finding,
                  const std::filesystem::path& corpus) {
  const FindingFiles files = files_of(corpus, key);
  Json json{{"key", key},
            {"verdict", conformance::to_string(finding.judgement.verdict)},
            {"diagnosis", finding.judgement.diagnosis},
            {"text", finding.judgement.text},
            {"cases", finding.count},
            {"epoch", finding.first.epoch},
            {"index", finding.first.index},
            {"replay", files.replay.string()},
            {"page", files.text.string()}};
  if (std::filesystem::exists(files.replay)) {
    const Problem problem = conformance::read_replay(files.replay).capture.problem;
    const fuzz::CaseSize size = fuzz::size_of(problem);
    json["records"] = size.records;
    json["groups"] = size.groups;
    json["head_dim"] = problem.shape.head_dim;
  }
  return json;
}

Json summary_json(const fuzz::LedgerHeader& header, std::int64_t epoch,
                  const fuzz::RangeOutcome& total, const std::filesystem::path& corpus) {
  const Covered covered = covered_of(fuzz::find_campaign(header.campaign), total.coverage);
  Json findings = Json::array();
  for (const auto& [key, finding] : total.findings)
    findings.push_back(finding_json(key, finding, corpus));
  return {{"command", "fuzz"},
          {"campaign", header.campaign},
          {"implementation", header.implementation},
          {"against", header.against},
          {"seed", header.seed},
          {"corpus", corpus.string()},
          {"epoch", epoch},
          {"cases", total.cases},
          {"refused", total.refused},
          {"fingerprints", total.fingerprints},
          {"features_drawn", covered.drawn},
          {"features_drawable", covered.drawable},
          {"features_seen", covered.seen},
          {"features_seeable", covered.seeable},
          {"edges", total.coverage.edges().size()},
          {"findings", findings}};
}

void print_findings(const fuzz::Findings& findings, const std::filesystem::path& corpus) {
  std::size_t named = 0;
  for (const auto& [key, finding] : findings) {
    if (named++ == findings_named) {
      say("  ... and {} more in {}\n", findings.size() - findings_named,
          findings_folder(corpus).string());
      return;
    }
    say("  {} ({}, {} cases): {}\n", key, to_string(finding.judgement.verdict), finding.count,
        files_of(corpus, key).text.string());
  }
}

}  // namespace

void print_fuzz_summary(const fuzz::Ledger& ledger, const std::filesystem::path& corpus,
                        const FuzzSummary& summary, bool json) {
  const fuzz::RangeOutcome& total = ledger.total();
  const fuzz::LedgerHeader& header = ledger.header();
  const double rate =
      summary.seconds > 0 ? static_cast<double>(summary.cases) / summary.seconds : 0;
  if (json) {
    Json document = summary_json(header, ledger.epoch(), total, corpus);
    document["cases_now"] = summary.cases;
    document["seconds"] = summary.seconds;
    document["stopped"] = summary.stopped;
    return print_json(document);
  }
  const Covered covered = covered_of(ledger.campaign(), total.coverage);
  say("{} on {} against {}, seed {}{}\n", header.campaign, header.implementation, header.against,
      header.seed, summary.stopped ? ", stopped" : "");
  say("{} cases, {} now in {:.0f} s ({:.0f} a second), {} refused; epoch {}\n", total.cases,
      summary.cases, summary.seconds, rate, total.refused, ledger.epoch());
  say("{} of {} choices drawn, {} of {} events of the walk seen\n", covered.drawn, covered.drawable,
      covered.seen, covered.seeable);
  say("{} finding{}\n", total.findings.size(), total.findings.size() == 1 ? "" : "s");
  print_findings(total.findings, corpus);
}

int show_fuzz_status(const std::filesystem::path& corpus, bool json) {
  const auto state = fuzz::read_ledger(corpus);
  if (!state) {
    throw InputError({"FUZZ", std::nullopt, std::nullopt,
                      fmt::format("{} has no campaign: there is no {}", corpus.string(),
                                  fuzz::ledger_file(corpus).string())});
  }
  const fuzz::FeatureSet scope =
      fuzz::features_in_scope(fuzz::find_campaign(state->header.campaign));
  write_file(corpus / "status.html", fuzz::status_html(*state));
  if (json) {
    Json document = summary_json(state->header, state->epoch, state->total, corpus);
    Json features = Json::object();
    for (std::size_t index = 0; index < fuzz::feature_count; ++index) {
      const auto feature = static_cast<fuzz::Feature>(index);
      if (scope[index])
        features[std::string(fuzz::info(feature).id)] = state->total.coverage.count(feature);
    }
    document["features"] = features;
    print_json(document);
  } else {
    print_text(fuzz::status_text(*state));
    print_findings(state->total.findings, corpus);
    say("page: {}\n", (corpus / "status.html").string());
  }
  return state->total.findings.empty() ? status_ok : status_different;
}

}  // namespace chainwalk::cli
