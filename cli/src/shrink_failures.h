// SPDX-License-Identifier: Apache-2.0
// Replay files and details of failed cases: the first few are shrunk, each candidate judged in a
// worker process.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "chainwalk/conformance/report.h"

namespace chainwalk::cli {

struct ReplaySettings {
  std::filesystem::path folder;
  std::string implementation;               // label, kept in the files
  std::vector<std::string> worker_command;  // argv of `chainwalk worker`
  double case_seconds = 60;                 // time limit of one case
  // Failures of wrong bits that are shrunk; of crashes half as many, of hangs a quarter.
  std::size_t shrunk_max = 8;
};

// Writes a replay file for every failed case that has a problem (the first fifty), names it in the
// result, and returns what the page shows of each. A failure that does not show again by itself
// keeps the problem of its case.
std::map<std::string, conformance::FailureDetail> write_replays(
    const ReplaySettings& settings, const std::vector<conformance::Case>& cases,
    conformance::RunOutcome& run);

// What the page shows of each failure whose replay file is there, by case id.
std::map<std::string, conformance::FailureDetail> details_of(const conformance::RunOutcome& run);

}  // namespace chainwalk::cli
