// SPDX-License-Identifier: Apache-2.0
// The page of mutants: which case convicts which wrong implementation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mutant_campaigns.h"
#include "mutant_pairs.h"
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

// Trials of one kind, in the order of their list.
struct TrialGroup {
  const char* title;      // "Rules got wrong"
  const char* column;     // what is broken: "rule", "kernel"
  const char* json_name;  // "rules", also the word of --only
  const char* note;       // above the table; may be empty
  std::vector<Trial> trials;
};

// What the page says of itself: `chainwalk mutants --profile P --seed S OPTIONS -o FILE` writes it.
struct PageHead {
  std::string profile;
  std::uint64_t seed = 1;
  std::string options;  // "" or " --only kernels"
  std::string file;     // "docs/mutants.md"
};

// What was tried.
struct Trials {
  Trial reference;
  std::vector<TrialGroup> groups;
  std::vector<PairTrial> pairs;
  std::vector<CampaignTrial> campaigns;

  std::vector<Trial> all() const;  // of groups and pairs
};

// A Markdown page; what has no trials is left out.
std::string mutants_page(const Trials& trials, const PageHead& head);

// The first line in which two pages differ, measured seconds left out; nullopt where there is none.
struct PageDifference {
  std::size_t line = 0;  // counted from 1
  std::string recorded, now;
};
std::optional<PageDifference> compare_pages(const std::string& recorded, const std::string& now);

}  // namespace chainwalk::cli
