// SPDX-License-Identifier: Apache-2.0
// What is left of a finding: a replay file, a page of text.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "chainwalk/fuzz/ledger.h"
#include "chainwalk/fuzz/pool.h"
#include "chainwalk/fuzz/shrink.h"

namespace chainwalk::cli {

struct FindingFiles {
  std::string key;
  std::filesystem::path replay, text;
};
std::filesystem::path findings_folder(const std::filesystem::path& corpus);
FindingFiles files_of(const std::filesystem::path& corpus, const std::string& key);

// Shrinks every finding that has no page yet, and writes its files: the best so far at any time,
// the page at last. Ends early when `stop` says so.
void write_findings(const fuzz::Ledger& ledger, fuzz::Pool& pool,
                    const std::filesystem::path& corpus, const fuzz::ShrinkLimits& limits,
                    const std::function<bool()>& stop,
                    const std::function<void(const std::string&)>& note);

// Writes the minimal corpus to the folder's "cases", and removes files there that are no longer of
// it.
void write_cases(const fuzz::Ledger& ledger, const std::filesystem::path& corpus);

}  // namespace chainwalk::cli
