// SPDX-License-Identifier: Apache-2.0
// One campaign after the other until a mutant is found; then its case is shrunk. No clock decides.
#include "mutant_campaigns.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/fuzz/run.h"
#include "chainwalk/fuzz/serve.h"
#include "chainwalk/platform/temporary_folder.h"
#include "fuzz_choice.h"

namespace chainwalk::cli {
namespace {

constexpr const char* campaign_order[] = {"walk",  "quantized", "boundaries",
                                          "flags", "big",       "plans"};
// Of misdeeds: wrong bits are not theirs.
constexpr const char* misdeed_order[] = {"walk", "plans"};
constexpr std::int64_t cases_each = 1024;
constexpr double hang_seconds = 2;  // misdeeds hang for ever

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

fuzz::ShrinkLimits shrink_limits() {
  fuzz::ShrinkLimits limits;
  limits.seconds = std::numeric_limits<double>::infinity();
  limits.tries = 4000;
  limits.repeats = 2;
  limits.hang_seconds = hang_seconds;
  return limits;
}

void shrink(CampaignTrial& trial, const fuzz::Ledger& ledger, const fuzz::TryCase& try_case) {
  const auto& findings = ledger.total().findings;
  // The first place of all: equal places do not happen, a case has one finding.
  const auto first = std::min_element(
      findings.begin(), findings.end(),
      [](const auto& a, const auto& b) { return a.second.first < b.second.first; });
  const fuzz::Finding& finding = first->second;
  trial.campaign = ledger.header().campaign;
  trial.cases = finding.first.epoch * ledger.campaign().epoch_cases + finding.first.index + 1;
  trial.found = finding.judgement;
  const fuzz::SmallCase small =
      fuzz::shrink_finding(finding, ledger.case_at(finding.first), try_case, shrink_limits(),
                           [](const fuzz::SmallCase&) {});
  trial.shrunk = small.judgement;
  trial.tries = small.tries;
  trial.size = fuzz::size_of(small.fuzz_case.problem);
  trial.head_dim = small.fuzz_case.problem.shape.head_dim;
}

fuzz::LedgerHeader header_of(const char* campaign, std::uint64_t seed, const std::string& on) {
  return {campaign, seed, on, "reference", ""};
}

}  // namespace

const char* CampaignTrial::named() const {
  if (campaign.empty()) return "no";
  if (shrunk.key == mutant.id) return "yes";
  if (mutant.rule.empty()) return shrunk.verdict == mutant.expected ? "yes" : "no";
  const std::string rule = "(" + mutant.rule + ")";
  return (shrunk.diagnosis + shrunk.text).find(rule) == std::string::npos ? "no" : "rule";
}

CampaignTrial try_campaigns(const Mutant& mutant, std::uint64_t seed) {
  const Stopwatch watch;
  CampaignTrial trial;
  trial.mutant = mutant;
  conformance::Implementation implementation;
  implementation.table = adapters::wrong_implementation();
  implementation.options = {"rule=" + mutant.id};
  fuzz::Examiner examiner(implementation, model_of("reference"));
  for (const char* name : campaign_order) {
    fuzz::Ledger ledger(header_of(name, seed, "wrong"), {});
    // Few at a time: what lies behind the first finding of a range is run for nothing.
    constexpr std::int64_t at_a_time = 8;
    for (std::int64_t limit = at_a_time; limit <= cases_each && ledger.total().findings.empty();
         limit += at_a_time) {
      while (const auto range = ledger.take(limit)) {
        (void)ledger.finish(
            *range, fuzz::run_range(ledger.campaign(), seed, *range, ledger.weights(), examiner));
      }
    }
    if (!ledger.total().findings.empty()) {
      shrink(trial, ledger,
             [&](const fuzz::FuzzCase& candidate, double) { return examiner.examine(candidate); });
      trial.seconds = watch.seconds();
      return trial;
    }
    trial.cases += cases_each;
  }
  trial.seconds = watch.seconds();
  return trial;
}

namespace {

// One campaign in worker processes, since a misdeed may end or hang its process. Whether it found
// something.
bool try_in_workers(CampaignTrial& trial, const char* campaign, std::uint64_t seed,
                    const std::string& on) {
  const platform::TemporaryFolder folder("chainwalk");
  FuzzChoice choice;
  choice.choice.on = on;
  choice.campaign = campaign;
  choice.seed = seed;
  choice.settle();
  fuzz::PoolSettings settings = choice.pool_settings(folder.path());
  settings.case_seconds = hang_seconds;
  fuzz::Pool pool(settings);
  fuzz::Ledger ledger(header_of(campaign, seed, on), {});
  fuzz::RunLimits limits;
  limits.cases = 1;  // grows until something is found, so that no crash is waited for in vain
  for (; *limits.cases <= cases_each && ledger.total().findings.empty(); ++*limits.cases)
    fuzz::run_campaign(ledger, pool, limits, [] { return false; }, {});
  if (ledger.total().findings.empty()) return false;
  shrink(trial, ledger, [&](const fuzz::FuzzCase& candidate, double limit) {
    return pool.try_case(candidate, limit);
  });
  return true;
}

}  // namespace

CampaignTrial try_campaigns(const Mutant& mutant, std::uint64_t seed,
                            const std::filesystem::path& library) {
  const Stopwatch watch;
  CampaignTrial trial;
  trial.mutant = mutant;
  const std::string on = fmt::format("{}:threads=1,fault={}", library.string(), mutant.id);
  for (const char* campaign : misdeed_order) {
    if (try_in_workers(trial, campaign, seed, on)) break;
    trial.cases += cases_each;
  }
  trial.seconds = watch.seconds();
  return trial;
}

bool is_seen_by_campaigns(const Mutant& misdeed) {
  static constexpr const char* for_the_suite[] = {"refuses-everything", "small-only",
                                                  "runs-any-step", "flaky", "often-flaky"};
  return std::find(std::begin(for_the_suite), std::end(for_the_suite), misdeed.id) ==
         std::end(for_the_suite);
}

std::string campaigns_section(const std::vector<CampaignTrial>& trials, std::uint64_t seed) {
  const auto found = std::count_if(trials.begin(), trials.end(), [](const CampaignTrial& trial) {
    return !trial.campaign.empty();
  });
  const auto small = std::count_if(trials.begin(), trials.end(), [](const CampaignTrial& trial) {
    return !trial.campaign.empty() && trial.is_small();
  });
  std::string text = fmt::format(
      "\n## Campaigns\n\n"
      "`chainwalk fuzz` on the same implementations with seed {}: the campaigns {},\n"
      "{} cases each, one after the other until one finds something. Cases are those of the\n"
      "campaign that does. Misdeeds that are no function of the case, or that only a step "
      "out of range shows, are left\n"
      "to the suite. {} of {} are found; {} of those shrink to at most 3 records in at most 2 "
      "groups.\n\n"
      "| mutant | campaign | cases to find | candidates to shrink | records | groups | columns | "
      "finding | names it | seconds |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | --- | --- | ---: |\n",
      seed, fmt::join(campaign_order, ", "), cases_each, found, trials.size(), small);
  for (const CampaignTrial& trial : trials) {
    if (trial.campaign.empty()) {
      text += fmt::format("| {} | **survives** | {} | - | - | - | - | - | no | {:.2f} |\n",
                          trial.mutant.id, trial.cases, trial.seconds);
      continue;
    }
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} | `{}` | {} | {:.2f} |\n", trial.mutant.id,
                    trial.campaign, trial.cases, trial.tries, trial.size.records, trial.size.groups,
                    trial.head_dim, trial.shrunk.key, trial.named(), trial.seconds);
  }
  return text;
}

}  // namespace chainwalk::cli
