// SPDX-License-Identifier: Apache-2.0
// Suites: every case, by chapter, as a function of (profile, seed).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/conformance/harness.h"
#include "chainwalk/conformance/result.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::conformance {

enum class Profile : std::uint8_t { quick, full, soak };

const char* to_string(Profile profile) noexcept;
std::optional<Profile> parse_profile(std::string_view text) noexcept;

// How a rule can be seen: through the interface, by the emulator, by plan tests on a host.
enum class Observability : std::uint8_t { observable, structural, host };

struct Case {
  std::string id;                    // "ARI/restart-after-invalid/7": stable for one suite version
  std::string chapter;               // "ARI"
  std::vector<std::string> rules;    // at least one
  Profile profile = Profile::quick;  // the smallest profile that has it
  Coordinates coordinates;
  std::uint64_t memory_bytes = 0;  // about what it needs
  // Runs on an open harness. Sets verdict, text, difference; never throws for a wrong answer.
  std::function<CaseResult(Harness&)> run;
  // The problem at the heart of the case, for diagnosis, shrinking and replay; null where there is
  // none.
  std::function<Problem()> problem;
  // Judges another problem as run() judges problem(); null where problem is.
  std::function<CaseResult(Harness&, const Problem&)> judge;
};

// The first fault of a problem for which no implementation could be judged: any but ill-formed
// flags, which the walk defines all the same (REC-6). nullopt: it can be run. TIL-3's limit on
// quantized rows is looked at where `quantizes_as_cluster`.
std::optional<InputFault> fault_besides_flags(const Problem& problem,
                                              bool quantizes_as_cluster = false);

// The judge of most cases: runs every step of a problem that has passed validate() (ill-formed
// flags excepted, REC-6) and compares with the reference, poison of untouched rows and guards
// included.
CaseResult equals_reference(Harness& harness, const Problem& problem);

// Every case of a profile for a seed, in a stable order; ids are unique.
std::vector<Case> make_suite(Profile profile, std::uint64_t seed);

inline constexpr int suite_version = 1;

}  // namespace chainwalk::conformance
