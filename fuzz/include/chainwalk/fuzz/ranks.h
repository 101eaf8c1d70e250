// SPDX-License-Identifier: Apache-2.0
// One campaign on the processes of a transport: rank 0 deals ranges and keeps the ledger, the
// others run them. A rank that dies or falls silent costs time, never a finding: what it had is run
// by others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chainwalk/fuzz/ledger.h"
#include "chainwalk/fuzz/pool.h"
#include "chainwalk/fuzz/roster.h"
#include "chainwalk/fuzz/transport.h"

namespace chainwalk::fuzz {

// Rank 0's side. All calls must come from one thread, and often: ranks that hear nothing for
// `silence_max` seconds give the campaign up.
class RemoteRanks {
 public:
  // A rank that runs another campaign than `header` says, or cannot be understood, is sent away.
  RemoteRanks(Transport& transport, const LedgerHeader& header, double silence_max);

  // Workers of the ranks that are there.
  std::size_t jobs() const { return roster_.capacity() / ranges_a_job; }
  bool has_idle() const { return roster_.with_room().has_value(); }
  void start(const Range& range, const Weights& weights);

  struct News {
    std::vector<RangeDone> done;  // a range may be there twice
    std::vector<Range> lost;      // nobody has these now
  };
  // What has happened since the last call; does not wait.
  News news();

  std::size_t losses() const { return roster_.losses(); }
  // Sentences for people since the last call: ranks that were lost or sent away.
  std::vector<std::string> take_notes() { return std::exchange(notes_, {}); }

  // Tells every rank that the campaign is over: it ends with the cases that it is at, for which it
  // has `seconds`, and says what it has done of its ranges.
  void ask_to_stop(double seconds);
  // The same where it has not been told, and waits for those that are not lost; ends the transport.
  void dismiss();

  // Ranges that a rank has for each of its workers: one that runs, and some for the time in which
  // an outcome and the next range travel.
  static constexpr std::size_t ranges_a_job = 3;

 private:
  void take(const Message& message, News& news);
  void send_to_all(const std::string& text);
  void send_away(int rank, const std::string& why, News& news);

  Transport& transport_;
  std::string runs_;
  double silence_max_;
  Roster roster_;
  std::map<int, std::int64_t> told_epoch_;  // whose weights a rank has
  std::set<int> gone_;                      // ranks that have said goodbye
  std::optional<double> stopping_;          // seconds that ranks were told
  std::vector<std::string> notes_;
  double last_alive_ = 0;
};

// The side of every other rank: runs ranges on `pool`, of `jobs` workers, until rank 0 says that it
// is over, then ends the transport. Throws std::runtime_error where rank 0 says nothing for
// `silence_max` seconds or sends this rank away.
void serve_rank(Transport& transport, const LedgerHeader& header, Pool& pool, std::size_t jobs,
                double silence_max);

}  // namespace chainwalk::fuzz
