// SPDX-License-Identifier: Apache-2.0
// The loop of a campaign.
#include "chainwalk/fuzz/run.h"

#include <chrono>
#include <limits>
#include <set>

namespace chainwalk::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double save_every = 5;  // seconds
constexpr auto patience = std::chrono::milliseconds(50);

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

void run_campaign(Ledger& ledger, Pool& pool, const RunLimits& limits,
                  const std::function<bool()>& stop,
                  const std::function<void(const RunProgress&)>& progress) {
  const auto start = Clock::now();
  auto saved = start;
  const std::int64_t limit = limits.cases.value_or(std::numeric_limits<std::int64_t>::max());
  const std::int64_t before = ledger.total().cases;
  std::set<Range> in_flight;
  const auto ended = [&] {
    return stop() || (limits.seconds && seconds_since(start) >= *limits.seconds) ||
           (limits.first_finding && !ledger.total().findings.empty());
  };
  while (!ended()) {
    while (pool.has_idle()) {
      const auto range = ledger.take(limit);
      if (!range) break;
      in_flight.insert(*range);
      pool.start(*range, ledger.weights());
    }
    if (in_flight.empty()) break;
    for (const auto& [range, outcome] : pool.wait(patience)) {
      (void)ledger.finish(range, outcome);
      in_flight.erase(range);
    }
    if (progress) {
      const std::int64_t now = ledger.total().cases + pool.begun();
      progress({now, ledger.epoch(), static_cast<std::int64_t>(ledger.total().findings.size()),
                seconds_since(start), now - before});
    }
    if (seconds_since(saved) >= save_every) {
      ledger.save();
      saved = Clock::now();
    }
  }
  for (const Range& range : in_flight) ledger.give_back(range);
  ledger.save();
}

}  // namespace chainwalk::fuzz
