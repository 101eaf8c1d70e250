// SPDX-License-Identifier: Apache-2.0
// What a campaign has covered, as a table and as a page.
#pragma once

#include <string>

#include "chainwalk/fuzz/ledger.h"

namespace chainwalk::fuzz {

// A line for each axis: its choices with how many cases had each; then what was seen of the walk,
// and what was not.
std::string status_text(const LedgerState& state);

// One self-contained page: the same figures, findings, and a heat map of pairs of features.
std::string status_html(const LedgerState& state);

}  // namespace chainwalk::fuzz
