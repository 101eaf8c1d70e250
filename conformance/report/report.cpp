// SPDX-License-Identifier: Apache-2.0
// Verdicts of rules from results of cases.
#include "chainwalk/conformance/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

std::int64_t& count_of(VerdictCounts& counts, Verdict verdict) {
  return counts[static_cast<std::size_t>(verdict)];
}

// One result in scope, with what a waiver makes of it.
struct Judged {
  const CaseResult* result;
  bool waived;
};

std::vector<Judged> judge(Report& report, const Claim& claim, const std::vector<Waiver>& waivers) {
  std::vector<Judged> judged;
  for (const CaseResult& result : report.run.results) {
    if (!claim.covers(result.coordinates)) continue;
    count_of(report.counts, result.verdict) += 1;
    const Waiver* waiver = find_waiver(waivers, result);
    if (waiver != nullptr && result.verdict == Verdict::pass) {
      // A rule's waiver covers cases of other rules as well; only a case's own waiver is refuted.
      if (!waiver->case_id.empty()) {
        report.complaints.push_back(fmt::format(
            "{} passes although a waiver expects it to fail: remove the waiver", result.case_id));
      }
      waiver = nullptr;
    }
    if (waiver != nullptr) ++report.waived;
    judged.push_back({&result, waiver != nullptr});
  }
  return judged;
}

void complain_about_idle_waivers(Report& report, const std::vector<Waiver>& waivers) {
  if (report.run.header.shard_count != 1) return;  // the failures may lie in another shard
  for (const Waiver& waiver : waivers) {
    if (waiver.rule.empty()) continue;
    const bool needed = std::any_of(
        report.run.results.begin(), report.run.results.end(), [&](const CaseResult& result) {
          return result.verdict != Verdict::pass && find_waiver({waiver}, result) != nullptr;
        });
    if (!needed)
      report.complaints.push_back(fmt::format(
          "every case of {} passes although a waiver expects failures: remove the waiver",
          waiver.rule));
  }
}

std::vector<RuleVerdict> verdicts_of_rules(const std::vector<Judged>& judged) {
  std::map<std::string, RuleVerdict> by_id;
  std::map<std::string, std::int64_t> bad;
  for (const Judged& one : judged) {
    for (const std::string& id : one.result->rules) {
      RuleVerdict& rule = by_id[id];
      rule.rule = id;
      count_of(rule.counts, one.result->verdict) += 1;
      if (one.waived) {
        ++rule.waived;
      } else if (one.result->verdict != Verdict::pass) {
        ++bad[id];
      }
    }
  }
  std::vector<RuleVerdict> ordered;
  for (const Rule& rule : rules()) {
    const auto found = by_id.find(std::string(rule.id));
    if (found == by_id.end()) continue;
    found->second.title = rule.title;
    for (const RequiredRule& listed : required_rules()) {
      if (listed.rule == found->first) found->second.seen = listed.seen;
    }
    found->second.conforms =
        bad[found->first] == 0 && count_of(found->second.counts, Verdict::pass) > 0;
    ordered.push_back(found->second);
  }
  return ordered;
}

// Whether the recipe has cases in the claim's scope and none of them ran or is waived. The suite
// says what is in scope: a run that lacks the cases cannot.
bool is_missing(const std::string& recipe, const std::vector<Case>& suite, const Claim& claim,
                const std::vector<Judged>& judged) {
  const bool in_scope = std::any_of(suite.begin(), suite.end(), [&](const Case& one) {
    return is_of_recipe(one.id, recipe) && claim.covers(one.coordinates);
  });
  return in_scope && std::none_of(judged.begin(), judged.end(), [&](const Judged& one) {
           const Verdict verdict = one.result->verdict;
           const bool ran = verdict != Verdict::not_run && verdict != Verdict::unsupported;
           return is_of_recipe(one.result->case_id, recipe) && (ran || one.waived);
         });
}

void complain_about_missing_cases(Report& report, const Claim& claim,
                                  const std::vector<Judged>& judged,
                                  std::span<const RequiredRule> required) {
  if (required.empty() || report.run.header.shard_count != 1) return;
  const std::vector<Case> suite = make_suite(Profile::quick, report.run.header.seed);
  for (const RequiredRule& rule : required) {
    std::string missing;
    for (const std::string& recipe : rule.recipes) {
      if (is_missing(recipe, suite, claim, judged))
        missing += (missing.empty() ? "" : ", ") + recipe;
    }
    if (!missing.empty()) {
      report.complaints.push_back(
          fmt::format("required cases of {} did not run: {}", rule.rule, missing));
    }
  }
}

}  // namespace

Report make_report(RunOutcome run, Facts environment, const std::string& claim,
                   const std::vector<Waiver>& waivers, std::span<const RequiredRule> required) {
  Report report;
  report.run = std::move(run);
  report.environment = std::move(environment);
  report.claim = claim;
  report.waivers = waivers;
  const Claim scope = parse_claim(claim);
  const std::vector<Judged> judged = judge(report, scope, waivers);
  complain_about_idle_waivers(report, waivers);
  report.rules = verdicts_of_rules(judged);
  complain_about_missing_cases(report, scope, judged, required);
  if (judged.empty()) report.complaints.emplace_back("no case is in the scope of this claim");
  const bool all_well = std::all_of(judged.begin(), judged.end(), [](const Judged& one) {
    return one.waived || one.result->verdict == Verdict::pass;
  });
  report.conforms = all_well && report.complaints.empty();
  return report;
}

const Waiver* waiver_of(const Report& report, const CaseResult& result) {
  return result.verdict == Verdict::pass ? nullptr : find_waiver(report.waivers, result);
}

RuleCount count_rules(const Report& report) {
  RuleCount count;
  for (const RuleVerdict& rule : report.rules) {
    if (rule.seen != Observability::observable) continue;
    ++count.counted;
    if (rule.conforms) ++count.conforming;
  }
  return count;
}

ReportDifference compare_reports(const Report& first, const Report& second) {
  ReportDifference difference;
  std::map<std::string, const CaseResult*> others;
  for (const CaseResult& result : second.run.results) others[result.case_id] = &result;
  for (const CaseResult& result : first.run.results) {
    const auto found = others.find(result.case_id);
    if (found == others.end()) {
      difference.missing.push_back(result.case_id + ": only in the first");
      continue;
    }
    const CaseResult& other = *found->second;
    if (result.verdict != other.verdict) {
      difference.verdicts.push_back(fmt::format(
          "{}: {} -> {}", result.case_id, to_string(result.verdict), to_string(other.verdict)));
    } else if (result.output_hash != other.output_hash) {
      difference.bits.push_back(fmt::format("{}: {:016x} -> {:016x}", result.case_id,
                                            result.output_hash, other.output_hash));
    }
    others.erase(found);
  }
  for (const auto& [id, result] : others) difference.missing.push_back(id + ": only in the second");
  return difference;
}

}  // namespace chainwalk::conformance
