// SPDX-License-Identifier: Apache-2.0
// Campaigns: which problems are drawn, and how case (seed, epoch, index) is made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/fuzz/coverage.h"
#include "chainwalk/fuzz/features.h"
#include "chainwalk/fuzz/request_edit.h"
#include "chainwalk/fuzz/weights.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::fuzz {

struct Campaign {
  std::string_view name;         // "walk"
  std::string_view description;  // one line
  FeatureSet allowed;
  std::int64_t max_records;  // of a problem, all chunks together
  std::int64_t max_work;     // records times columns
  std::int64_t epoch_cases;  // cases of an epoch
  std::int64_t range_cases;  // cases that a worker takes at a time
  bool schedules;            // every case has its own schedule of the emulator
  bool big;                  // slots are moved to the 2^32-byte borders of a sparse bank (BIG-1)
  bool plans;                // requests at the borders of the plan checks, which are not run
};

// In the order in which help lists them; the first is the default.
std::span<const Campaign> campaigns();
// Throws chainwalk::InputError that lists the names.
const Campaign& find_campaign(std::string_view name);

// One case: a problem, and what else of the run is chosen.
struct FuzzCase {
  Problem problem;
  // Options for the implementation besides its own, key=value (a schedule).
  std::vector<std::string> options;
  // Where not empty: the rows of a sparse bank of `big_slots` rows that hold the problem's rows,
  // ascending.
  std::vector<std::int64_t> big_rows;
  std::int64_t big_slots = 0;
  std::uint64_t big_word = 0;  // chooses them
  // Where not empty: nothing is run, and only the problem's request with these changes is decided
  // on.
  std::vector<RequestEdit> edits;
  FeatureSet drawn;  // what the generators chose
};

// What coverage counts of a campaign: the choices that it allows, and the events that it can meet.
FeatureSet features_in_scope(const Campaign& campaign);

// Another problem run as `like` is: its options, its changes of the request, and rows at the
// borders where it has such.
FuzzCase dressed(const Problem& problem, const FuzzCase& like);

// The same bits on every machine, whichever process makes them and in any order. `weights` are
// those of the epoch.
FuzzCase make_case(const Campaign& campaign, std::uint64_t seed, CasePlace place,
                   const Weights& weights);

// A hash of all that makes the case, 0..2^63 - 1: sizes, tensors, options, changes of the request
// and rows of a sparse bank.
std::int64_t fingerprint(const FuzzCase& fuzz_case) noexcept;

// The features that a case counts for: what is noticed of its problem, and the choices that cannot
// be noticed.
FeatureSet features_of(const FuzzCase& fuzz_case);

// Raised when a place names another case than before.
inline constexpr int campaign_version = 2;

}  // namespace chainwalk::fuzz
