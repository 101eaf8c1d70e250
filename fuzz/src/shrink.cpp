// SPDX-License-Identifier: Apache-2.0
// Shrinking of findings, and what is said of the result.
#include "chainwalk/fuzz/shrink.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "chainwalk/conformance/report.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// Hanging candidates are waited for, so the wait is kept near what a run takes that does not hang.
class HangLimit {
 public:
  explicit HangLimit(double greatest) : greatest_(greatest) {}
  double seconds() const { return std::min(greatest_, std::max(least, 20 * slowest_)); }
  void took(double seconds) { slowest_ = std::max(slowest_, seconds); }

 private:
  static constexpr double least = 0.5;
  double greatest_;
  double slowest_ = 0;
};

class FindingShrinker {
 public:
  FindingShrinker(const Finding& finding, const FuzzCase& found, const TryCase& try_case,
                  const ShrinkLimits& limits, const std::function<void(const SmallCase&)>& better)
      : finding_(finding),
        try_case_(try_case),
        limits_(limits),
        better_(better),
        hang_(limits.hang_seconds) {
    small_.fuzz_case = found;
    small_.judgement = finding.judgement;
  }

  SmallCase run() {
    better_(small_);
    for (int run = 0; run < limits_.repeats; ++run) {
      ++small_.repeated;
      // Eight hangs in a row would be waited for in vain.
      small_.failed += shows(small_.fuzz_case, limits_.hang_seconds);
      if (finding_.judgement.verdict == conformance::Verdict::hang && small_.failed == 2) break;
    }
    better_(small_);
    if (small_.failed == 0) return std::move(small_);
    runs_each_ = small_.failed == small_.repeated
                     ? 1
                     : std::min(limits_.repeats, 3 * small_.repeated / small_.failed);
    const auto still_fails = [&](const Problem& problem) {
      return is_better(dressed(problem, small_.fuzz_case));
    };
    drop_edits();
    (void)conformance::shrink(small_.fuzz_case.problem, still_fails,
                              {limits_.seconds, limits_.tries});
    return std::move(small_);
  }

 private:
  // Whether one of a few runs of the candidate still shows it; it is the smallest then.
  bool is_better(const FuzzCase& candidate) {
    ++small_.tries;
    for (int run = 0; run < runs_each_; ++run) {
      if (!shows(candidate, hang_.seconds())) continue;
      ++small_.steps;
      small_.fuzz_case = candidate;
      better_(small_);
      return true;
    }
    return false;
  }

  // The last change of a request stays: without any, the problem itself would run.
  void drop_edits() {
    for (std::size_t at = small_.fuzz_case.edits.size(); at-- > 0;) {
      if (small_.fuzz_case.edits.size() == 1) return;
      FuzzCase candidate = small_.fuzz_case;
      candidate.edits.erase(candidate.edits.begin() + static_cast<std::ptrdiff_t>(at));
      (void)is_better(candidate);
    }
  }

  bool shows(const FuzzCase& candidate, double hang_seconds) {
    const auto start = Clock::now();
    Judgement judgement = try_case_(candidate, hang_seconds);
    if (judgement.verdict != conformance::Verdict::hang)
      hang_.took(std::chrono::duration<double>(Clock::now() - start).count());
    if (judgement.key != finding_.judgement.key) return false;
    small_.judgement = std::move(judgement);
    return true;
  }

  const Finding& finding_;
  const TryCase& try_case_;
  const ShrinkLimits& limits_;
  const std::function<void(const SmallCase&)>& better_;
  HangLimit hang_;
  int runs_each_ = 1;
  SmallCase small_;
};

std::string place_phrase(const conformance::Difference& difference) {
  return fmt::format("{} row {} column {}: expected {}, got {}; {} such elements",
                     difference.tensor, difference.row, difference.column, difference.expected,
                     difference.actual, difference.count);
}

constexpr std::size_t text_max = 1200;  // of an implementation's own words
constexpr std::size_t chain_max = 2400;

std::string clipped(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most) + " ...";
}

}  // namespace

SmallCase shrink_finding(const Finding& finding, const FuzzCase& found, const TryCase& try_case,
                         const ShrinkLimits& limits,
                         const std::function<void(const SmallCase&)>& better) {
  return FindingShrinker(finding, found, try_case, limits, better).run();
}

CaseSize size_of(const Problem& problem) {
  CaseSize size;
  for (std::int64_t chunk = 0; chunk < problem.shape.steps() * problem.shape.num_parallel;
       ++chunk) {
    bool inside = false;
    for (const Record& record : problem.chunk_records(chunk)) {
      if (!inside && record == padding_record) continue;
      ++size.records;
      size.groups += !inside;
      inside = !is_last(record);
    }
  }
  return size;
}

std::string finding_text(const Finding& finding, const SmallCase& small,
                         const std::string& implementation, const std::string& replay_command) {
  const Judgement& judgement = small.judgement;
  const Problem& problem = small.fuzz_case.problem;
  const CaseSize size = size_of(problem);
  std::string text;
  const auto to = std::back_inserter(text);
  fmt::format_to(to, "{}: {} on {}\n\n", judgement.key, to_string(judgement.verdict),
                 implementation);
  fmt::format_to(to, "problem    {}; {} record{} in {} group{}\n",
                 conformance::size_phrase(problem.shape), size.records,
                 size.records == 1 ? "" : "s", size.groups, size.groups == 1 ? "" : "s");
  if (!small.fuzz_case.big_rows.empty())
    fmt::format_to(to, "           on a sparse bank of {} rows, at its 2^32-byte borders\n",
                   small.fuzz_case.big_slots);
  for (const std::string& option : small.fuzz_case.options)
    fmt::format_to(to, "           {}\n", option);
  if (!small.fuzz_case.edits.empty())
    fmt::format_to(to, "request    {}\n", to_string(small.fuzz_case.edits));
  fmt::format_to(to, "found      case {} of epoch {}; {} case{} showed it\n", finding.first.index,
                 finding.first.epoch, finding.count, finding.count == 1 ? "" : "s");
  if (small.failed < small.repeated)
    fmt::format_to(to, "rate       NOT DETERMINISTIC: {} of {} runs of the case show it\n",
                   small.failed, small.repeated);
  fmt::format_to(to, "shrunk     {} candidates run, {} kept\n", small.tries, small.steps);
  fmt::format_to(to, "says       {}\n", clipped(judgement.text, text_max));
  if (judgement.difference)
    fmt::format_to(to, "first      {}\n", place_phrase(*judgement.difference));
  fmt::format_to(to, "diagnosis  {}\n",
                 !judgement.diagnosis.empty() ? judgement.diagnosis
                 : judgement.difference       ? "none: no single wrong rule gives these bits"
                                              : "none: there are no bits to explain");
  const auto detail = conformance::detail_of(problem, judgement.difference);
  if (!detail.chain.empty())
    fmt::format_to(to, "\nthe chain by the reference\n{}", clipped(detail.chain, chain_max));
  fmt::format_to(to, "\nreplay     {}\n", replay_command);
  fmt::format_to(to, "keep       cp {}.safetensors fuzz/corpus/   (the ordinary tests replay it)\n",
                 judgement.key);
  return text;
}

}  // namespace chainwalk::fuzz
