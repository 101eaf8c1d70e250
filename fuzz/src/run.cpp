// SPDX-License-Identifier: Apache-2.0
// The loop of a campaign.
#include "chainwalk/fuzz/run.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

namespace chainwalk::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double save_every = 5;  // seconds
// Fewer cases are not worth the message.
constexpr std::int64_t range_cases_min = 16;
constexpr std::int64_t shares_a_worker = 6;
constexpr auto patience = std::chrono::milliseconds(50);
// For cases at work when somebody asks to stop: mpirun kills after a second.
constexpr double hurried_seconds = 0.4;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Who works, and what is out with them.
class Deal {
 public:
  Deal(Ledger& ledger, Pool& pool, RemoteRanks* others, std::int64_t limit)
      : ledger_(ledger), pool_(pool), others_(others), limit_(limit) {}

  // Gives everybody something to do. False where nothing is out: the campaign is at its limit.
  bool hand_out() {
    while (pool_.has_idle() &&
           take([&](const Range& range) { pool_.start(range, ledger_.weights()); })) {
    }
    while (others_ != nullptr && others_->has_idle() &&
           take([&](const Range& range) { others_->start(range, ledger_.weights()); })) {
    }
    return !in_flight_.empty();
  }

  void collect() {
    for (const RangeDone& done : pool_.wait(patience)) finish(done);
    if (others_ == nullptr) return;
    const RemoteRanks::News news = others_->news();
    for (const RangeDone& done : news.done) finish(done);
    for (const Range& range : news.lost) give_back(range);
  }

  // Everybody ends with the case that they are at, for which they have `seconds`; what is not done
  // then, nobody has done.
  void wind_up(double seconds) {
    if (in_flight_.empty()) return;
    pool_.ask_to_stop();
    if (others_ != nullptr) others_->ask_to_stop(seconds);
    const auto asked = Clock::now();
    while (!in_flight_.empty() && seconds_since(asked) < seconds) collect();
    for (const RangeDone& done : pool_.cut()) finish(done);
    while (!in_flight_.empty()) give_back(*in_flight_.begin());
  }

 private:
  template <typename Start>
  bool take(const Start& start) {
    const auto range = ledger_.take(limit_, range_cases());
    if (!range) return false;
    in_flight_.insert(*range);
    start(*range);
    return true;
  }

  // A share of what is left of the epoch, which nobody can go beyond: small at its end, so that all
  // are done at about the same time.
  std::int64_t range_cases() const {
    const auto workers =
        static_cast<std::int64_t>(pool_.jobs() + (others_ == nullptr ? 0 : others_->jobs()));
    return std::max(ledger_.waiting_cases() / (workers * shares_a_worker), range_cases_min);
  }

  // A range that was lost with a rank and run by another may come twice: the ledger takes one.
  void finish(const RangeDone& done) {
    if (ledger_.finish(done.range, done.outcome, done.left)) in_flight_.erase(done.range);
  }

  void give_back(Range range) {
    ledger_.give_back(range);
    in_flight_.erase(range);
  }

  Ledger& ledger_;
  Pool& pool_;
  RemoteRanks* others_;
  std::int64_t limit_;
  std::set<Range> in_flight_;
};

}  // namespace

void run_campaign(Ledger& ledger, Pool& pool, const RunLimits& limits,
                  const std::function<bool()>& stop,
                  const std::function<void(const RunProgress&)>& progress, RemoteRanks* others) {
  const auto start = Clock::now();
  auto saved = start;
  const std::int64_t before = ledger.total().cases;
  Deal deal(ledger, pool, others, limits.cases.value_or(std::numeric_limits<std::int64_t>::max()));
  const auto ended = [&] {
    return stop() || (limits.seconds && seconds_since(start) >= *limits.seconds) ||
           (limits.first_finding && !ledger.total().findings.empty());
  };
  while (!ended() && deal.hand_out()) {
    deal.collect();
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
  deal.wind_up(stop() ? hurried_seconds : limits.last_case_seconds);
  ledger.save();
}

}  // namespace chainwalk::fuzz
