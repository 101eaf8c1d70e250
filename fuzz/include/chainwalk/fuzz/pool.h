// SPDX-License-Identifier: Apache-2.0
// Worker processes that run ranges. A crash or a hang is a finding of one case; the worker is
// replaced and the range goes on behind it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"

namespace chainwalk::fuzz {

struct PoolSettings {
  // argv of a worker, which calls serve(); "--place FILE" is added. The process must ignore
  // SIGPIPE.
  std::vector<std::string> worker_command;
  std::filesystem::path folder;    // for files of the workers; exists
  std::string name = "worker";     // begins the names of those files
  unsigned jobs = 1;               // workers side by side
  double case_seconds = 20;        // after which a case hangs
  double start_seconds = 60;       // for a worker to begin its first case
  std::uint64_t memory_limit = 0;  // bytes of address space of a worker; 0: none
};

class Pool {
 public:
  explicit Pool(PoolSettings settings);
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();  // ends the workers; what they have not answered for is lost

  std::size_t jobs() const { return slots_.size(); }
  bool has_idle() const;
  std::size_t running() const;  // ranges in flight
  // Starts a range on an idle worker, with the weights of its epoch. Throws std::system_error.
  void start(const Range& range, const Weights& weights);
  // Waits up to `limit` for something to happen; ranges that are done. Throws std::runtime_error
  // where workers end before they begin a case, again and again.
  std::vector<RangeDone> wait(std::chrono::milliseconds limit);
  // Running ranges end after the case that each is at: wait() then gives what was done of them.
  void ask_to_stop();
  // Ends workers that are at a case still; what they have not answered for is left of their ranges.
  std::vector<RangeDone> cut();
  // Cases that running ranges have begun.
  std::int64_t begun() const;

  // Runs one case on a worker of its own, which stays for the next call. `hang_seconds` 0: the
  // settings' time limit.
  Judgement try_case(const FuzzCase& fuzz_case, double hang_seconds = 0);

 private:
  struct Slot;
  PoolSettings settings_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<Slot> tries_;
};

}  // namespace chainwalk::fuzz
