// SPDX-License-Identifier: Apache-2.0
// The worker's side of a campaign: many cases in one process, each announced before it runs, so
// that a crash or a hang is known to be that case's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/examine.h"

namespace chainwalk::fuzz {

// Which case a worker is at, in a file that outlives it.
class PlaceFile {
 public:
  // Maps `path`, made where it is missing. Throws std::system_error.
  explicit PlaceFile(const std::filesystem::path& path);
  PlaceFile(const PlaceFile&) = delete;
  PlaceFile& operator=(const PlaceFile&) = delete;
  ~PlaceFile();

  void begin(std::int64_t index) noexcept;  // of the range, or 0 for a tried problem
  std::uint64_t begun() const noexcept;     // cases since reset()
  std::int64_t index() const noexcept;      // of the last one
  void reset() noexcept;

  // What is known of the case before it runs, so that it counts although it ends its process.
  struct Known {
    FeatureSet features;
    std::int64_t fingerprint = 0;
  };
  void know(const Known& known) noexcept;
  std::optional<Known> known() const noexcept;  // of the last case begun

  // The other direction: the worker is to answer with what it has done of its range.
  void want_stop(bool wanted) noexcept;
  bool stop_wanted() const noexcept;

 private:
  struct Shared;
  Shared* shared_;
};

// Reads requests from descriptor `input`, a line of JSON each, and answers on `output`:
//   {"weights": W}                       no answer; of the ranges that follow
//   {"range": R}                         {"outcome": O}, of its first cases where it was stopped
//   {"try": FILE, "options": [...]}      {"judgement": J}: runs the problem of a scratch file
// Returns at the end of input.
void serve(const Campaign& campaign, std::uint64_t seed, Examiner& examiner, PlaceFile& place,
           int input, int output);

// Runs a range in this process, or its first cases where `place` asks to stop.
RangeOutcome run_range(const Campaign& campaign, std::uint64_t seed, const Range& range,
                       const Weights& weights, Examiner& examiner, PlaceFile* place = nullptr);

// A case as a scratch file of this machine: not checked, not for keeping.
void write_scratch(const std::filesystem::path& path, const FuzzCase& fuzz_case);
FuzzCase read_scratch(const std::filesystem::path& path);

}  // namespace chainwalk::fuzz
