// SPDX-License-Identifier: Apache-2.0
// Shrinks the case of a finding, whatever the finding is: every candidate is tried where a crash or
// a hang costs a verdict only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"

namespace chainwalk::fuzz {

struct ShrinkLimits {
  double seconds = 30;
  std::int64_t tries = 4000;  // candidates
  int repeats = 10;           // runs of the case as it was found, for its rate
  double hang_seconds = 20;   // time limit of a case
};

// Runs a case; `hang_seconds` is the time after which it hangs.
using TryCase = std::function<Judgement(const FuzzCase& fuzz_case, double hang_seconds)>;

struct SmallCase {
  FuzzCase fuzz_case;   // the smallest found
  Judgement judgement;  // of it
  int failed = 0;       // of `repeated` runs of the case as it was found, those that showed it
  int repeated = 0;
  std::int64_t tries = 0;  // candidates run
  std::int64_t steps = 0;  // candidates that still showed it
};

// Runs `found` a few times, then drops steps, streams, tiles, groups, members, columns, rows and
// tokens and simplifies values, as long as a run gives the key of `finding`. Where not every run
// does, a candidate gets as many runs as the rate asks for. `better` is called for each candidate
// that is kept, the found case first, so that the best so far can be written down.
SmallCase shrink_finding(const Finding& finding, const FuzzCase& found, const TryCase& try_case,
                         const ShrinkLimits& limits,
                         const std::function<void(const SmallCase&)>& better);

// Records that are no padding, and the groups that they make, over the chunks that run.
struct CaseSize {
  std::int64_t records = 0, groups = 0;
};
CaseSize size_of(const Problem& problem);

// At most a page: the problem, how often it fails, the first wrong element, the chain behind it,
// the diagnosis, and what to type. `replay_command` is the whole line.
std::string finding_text(const Finding& finding, const SmallCase& small,
                         const std::string& implementation, const std::string& replay_command);

}  // namespace chainwalk::fuzz
