// SPDX-License-Identifier: Apache-2.0
// What a campaign says of itself: ten lines at its end, and what it has covered.
#pragma once

#include <cstdint>
#include <filesystem>

#include "chainwalk/fuzz/ledger.h"

namespace chainwalk::cli {

struct FuzzSummary {
  std::int64_t cases = 0;  // of this call
  double seconds = 0;
  bool stopped = false;  // by a signal
};
void print_fuzz_summary(const fuzz::Ledger& ledger, const std::filesystem::path& corpus,
                        const FuzzSummary& summary, bool json);

// The table of a folder's campaign on standard output, and its page in status.html. InputError
// where the folder has no campaign. Exit status: 0, or 1 where it has findings.
int show_fuzz_status(const std::filesystem::path& corpus, bool json);

}  // namespace chainwalk::cli
