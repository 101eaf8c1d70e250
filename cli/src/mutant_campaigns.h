// SPDX-License-Identifier: Apache-2.0
// Campaigns on implementations that are known to be wrong: how many cases find each, and what is
// left of it after shrinking.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/fuzz/shrink.h"
#include "mutant_runs.h"

namespace chainwalk::cli {

struct CampaignTrial {
  Mutant mutant;
  std::string campaign;    // the first that found it; empty: none did
  std::int64_t cases = 0;  // of that campaign, run until then; where none did: of all of them
  fuzz::Judgement found, shrunk;
  std::int64_t tries = 0;  // candidates run while shrinking
  fuzz::CaseSize size;
  std::int64_t head_dim = 0;
  double seconds = 0;

  bool is_small() const { return size.records <= 3 && size.groups <= 2; }
  // "yes": the finding on the shrunk problem is this very fault. "rule": it names its rule. "no".
  const char* named() const;
};

// The reference with one rule got wrong, in this process.
CampaignTrial try_campaigns(const Mutant& mutant, std::uint64_t seed);
// A misbehaving implementation, in worker processes. Only misdeeds that a campaign can see at all:
// see is_seen_by_campaigns().
CampaignTrial try_campaigns(const Mutant& mutant, std::uint64_t seed,
                            const std::filesystem::path& library);
// Refusing what is supported, or taking what must be refused, is for the suite to see; and a fault
// that shows once in a thousand launches is no function of the case.
bool is_seen_by_campaigns(const Mutant& misdeed);

// Markdown, to follow the page's other tables.
std::string campaigns_section(const std::vector<CampaignTrial>& trials, std::uint64_t seed);

}  // namespace chainwalk::cli
