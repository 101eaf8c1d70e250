// SPDX-License-Identifier: Apache-2.0
// The page of mutants: which case convicts which wrong implementation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mutant_campaigns.h"
#include "mutant_runs.h"

namespace chainwalk::cli {

struct MutantFigures {
  std::size_t mutants = 0;
  std::size_t killed = 0;           // by the profile that ran
  std::size_t killed_by_quick = 0;  // by the quick cases of it
  double median_seconds = 0;        // to kill; survivors not counted

  bool quick_suffices() const { return killed_by_quick * 100 >= mutants * 95; }
};
MutantFigures figures_of(const std::vector<Trial>& trials);

// A Markdown page. `rules` and `misdeeds` are trials in the order of their lists; `campaigns` may
// be empty.
std::string mutants_page(const std::vector<Trial>& rules, const std::vector<Trial>& misdeeds,
                         const std::vector<CampaignTrial>& campaigns, const std::string& profile,
                         std::uint64_t seed);

// The first line in which two pages differ, measured seconds left out; nullopt where there is none.
struct PageDifference {
  std::size_t line = 0;  // counted from 1
  std::string recorded, now;
};
std::optional<PageDifference> compare_pages(const std::string& recorded, const std::string& now);

}  // namespace chainwalk::cli
