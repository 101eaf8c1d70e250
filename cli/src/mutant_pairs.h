// SPDX-License-Identifier: Apache-2.0
// Every pair of wrong rules: whether the suite convicts it, and whether some report names it.
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <vector>

#include "chainwalk/conformance/diagnose.h"
#include "mutant_runs.h"

namespace chainwalk::cli {

// What becomes of a pair in the cases in which each of its rules changes bits.
enum class PairFate : std::uint8_t {
  named,   // the report of a case names this pair
  hidden,  // in each of them the pair leaves the bits of one rule alone
  apart,   // there is none
  alike,   // reports name another rule, or another pair, that leaves the same bits
  unnamed  // reports name nothing
};
const char* to_string(PairFate fate) noexcept;

struct PairTrial {
  std::array<std::size_t, 2> wrong{};  // indices into wrong_rules(), ascending
  Trial trial;                         // the cases that were run, and the first that convicts it
  PairFate fate = PairFate::apart;
  std::string named_by;         // named: id of the case
  std::array<bool, 2> shows{};  // hidden: which of the two is left alone in some case
  std::string instead;          // alike, unnamed: what a report says
};

// The pairs of one list of cases. Cases too large for a quick search are left out of it; that a
// pair is convicted is tried on all.
class PairSearch {
 public:
  // Finds out which wrong rule changes the bits of which case: a walk for each.
  explicit PairSearch(const std::vector<conformance::Case>& cases);

  PairTrial run(std::size_t first, std::size_t second) const;

 private:
  static constexpr std::size_t rules_max = 128;
  struct Candidate {
    const conformance::Case* one;
    std::bitset<rules_max> active;  // wrong rules that change its bits
    std::int64_t cost;              // of a diagnosis
  };

  void look_for_name(PairTrial& pair) const;

  const std::vector<conformance::Case>& cases_;
  std::vector<Candidate> candidates_;  // cheapest first
};

// Markdown: how many are convicted and named, and each pair that is not, with the reason.
std::string pairs_section(const std::vector<PairTrial>& pairs);

}  // namespace chainwalk::cli
