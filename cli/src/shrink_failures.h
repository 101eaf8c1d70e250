// SPDX-License-Identifier: Apache-2.0
// Replay files and details of failed cases: the first few are shrunk, each in a process of its own.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/conformance/report.h"

namespace chainwalk::cli {

struct ReplaySettings {
  std::filesystem::path folder;
  std::string implementation;               // label, kept in the files
  std::vector<std::string> worker_command;  // argv of `chainwalk worker`
  std::size_t shrunk_max = 8;               // failures that are shrunk
};

// Writes a replay file for every failed case that has a problem (the first fifty), names it in the
// result, and returns what the page shows of each. A worker that dies or hangs while it shrinks
// costs the small problem, not the file.
std::map<std::string, conformance::FailureDetail> write_replays(
    const ReplaySettings& settings, const std::vector<conformance::Case>& cases,
    conformance::RunOutcome& run);

// The worker's side: shrinks the named case and writes its replay file. InputError for an unknown
// case or one without a problem.
void shrink_to_file(const std::vector<conformance::Case>& cases, const std::string& case_id,
                    const std::string& implementation_label, conformance::Harness& harness,
                    const std::filesystem::path& path);

}  // namespace chainwalk::cli
