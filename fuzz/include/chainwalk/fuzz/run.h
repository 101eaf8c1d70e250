// SPDX-License-Identifier: Apache-2.0
// Runs a campaign until a limit or a request to stop, on the workers of this process and, under a
// transport, on those of other ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "chainwalk/fuzz/ledger.h"
#include "chainwalk/fuzz/pool.h"
#include "chainwalk/fuzz/ranks.h"

namespace chainwalk::fuzz {

struct RunLimits {
  std::optional<std::int64_t> cases;  // of the whole campaign, earlier parts included
  std::optional<double> seconds;      // of this call
  bool first_finding = false;         // stop at the end of the first range that has one
  // When the time is over: for the cases at work then. A case takes no longer, or hangs.
  double last_case_seconds = 20;
};

struct RunProgress {
  std::int64_t cases = 0;  // of the whole campaign, those in flight here included
  std::int64_t epoch = 0;
  std::int64_t findings = 0;
  double seconds = 0;     // of this call
  std::int64_t here = 0;  // cases of this call
};

// Deals ranges to the pool, and to the `others` where there are any, and saves the ledger every few
// seconds and at the end. Ranges in flight at the end are cut behind the cases that have been run,
// and the ledger keeps what is left of them for whoever continues; ranges of ranks that are lost
// are run by others. `stop` is asked often.
void run_campaign(Ledger& ledger, Pool& pool, const RunLimits& limits,
                  const std::function<bool()>& stop,
                  const std::function<void(const RunProgress&)>& progress,
                  RemoteRanks* others = nullptr);

}  // namespace chainwalk::fuzz
