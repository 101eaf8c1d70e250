// SPDX-License-Identifier: Apache-2.0
// Runs of a suite: worker processes, a journal that outlives any crash, and resumption.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/conformance/result.h"
#include "chainwalk/conformance/suite.h"

namespace chainwalk::conformance {

// What a run is a run of. Two runs with equal headers have the same cases.
struct RunHeader {
  int suite_version = 1;
  std::string specification_version;
  std::string implementation;  // --on with its options
  std::string profile;
  std::uint64_t seed = 0;
  std::int64_t shard_index = 0;  // 0..shard_count - 1
  std::int64_t shard_count = 1;

  friend bool operator==(const RunHeader&, const RunHeader&) = default;
};

struct Progress {
  std::int64_t done = 0, total = 0, failures = 0;
  double seconds = 0;
  std::string current;  // id of a case that has just begun
};

struct RunSettings {
  std::vector<std::string> worker_command;  // argv of a worker; it calls serve_cases()
  std::filesystem::path journal;            // journal file
  bool resume = false;                      // continue the journal; else it must not exist
  unsigned jobs = 1;                        // workers side by side, at least 1
  double case_seconds = 60;                 // time of the implementation over one case
  std::optional<double> budget_seconds;     // stop starting cases after so long
  std::uint64_t memory_limit = 0;           // bytes of address space of a worker; 0: none
  // Start no case after a result for which it holds; null: never stop.
  std::function<bool(const CaseResult&)> stop_after;
  std::vector<std::string> never_launch;  // ids that must not run (crash-class waivers)
  std::function<void(const Progress&)> progress;
};

struct RunOutcome {
  RunHeader header;
  std::vector<CaseResult> results;  // one per case of the shard, in suite order
  double seconds = 0;               // of this process; earlier parts of a resumed run not counted
  std::int64_t resumed = 0;         // results taken from the journal
};

// Runs the cases of the header's shard. A worker that dies, or whose implementation passes the time
// limit, costs its case a verdict of crash or hang, and is replaced. What the suite itself does for
// a case (making the problem, the expected outputs, the diagnosis) is not held against it. Throws
// InputError for a journal of another run or a journal that exists without `resume`,
// std::system_error where it cannot be written.
RunOutcome run_cases(const std::vector<Case>& cases, const RunHeader& header,
                     const RunSettings& settings);

// Runs one case here, without a worker: std::bad_alloc is a crash, any other exception a failure.
CaseResult run_case(const Case& one, Harness& harness);

// The worker's side: reads case ids, one a line, from descriptor `input`, runs each on a harness
// that `open` gives, and writes one JSON line per result to descriptor `output`. Returns at end of
// input. A sticky device error or a failed open ends the process's usefulness: it returns early.
void serve_cases(const std::vector<Case>& cases,
                 const std::function<std::unique_ptr<Harness>()>& open, int input, int output);

// Descriptor on which a worker writes its results: standard output belongs to the implementation.
inline constexpr int worker_result_descriptor = 3;

// Lines that a worker writes there before the implementation gets the word, and after: what lies
// between is the implementation's time. serve_cases() writes those of a harness; loading a shared
// object is the caller's to mark.
inline constexpr std::string_view enter_mark = "enter";
inline constexpr std::string_view leave_mark = "leave";
void write_mark(int output, bool inside);

}  // namespace chainwalk::conformance
