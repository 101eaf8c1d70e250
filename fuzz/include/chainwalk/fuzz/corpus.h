// SPDX-License-Identifier: Apache-2.0
// The cases of a campaign that are worth keeping: few, and together they have every feature and
// edge that was covered.
#pragma once

#include <string>
#include <vector>

#include "chainwalk/fuzz/ledger.h"

namespace chainwalk::fuzz {

struct CorpusCase {
  std::string name;  // "feature_store_tie": the rarest feature that it is kept for; "edge_00ff"
  CasePlace place;
  FuzzCase fuzz_case;
};

// A set cover by greed: of the cases that were the first with something, the one that adds most,
// until nothing is left to add. The same for equal ledgers; names are unique.
std::vector<CorpusCase> minimal_corpus(const Ledger& ledger);

}  // namespace chainwalk::fuzz
