// SPDX-License-Identifier: Apache-2.0
// Explains a wrong result: which single wrong rule, or pair of them, reproduces the observed bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// One way to get a rule wrong. `id` is stable: "no-restart-after-invalid".
struct WrongRule {
  std::string_view id;
  std::string_view description;  // "no restart after an invalid LAST"
  std::string_view rule;         // "ARI-4"
};
std::span<const WrongRule> wrong_rules() noexcept;
// How a diagnosis names one: "no restart after an invalid LAST (ARI-4)".
std::string phrase_of(std::string_view description, std::string_view rule);

// Runs the walk with the named wrong rules (indices into wrong_rules(), else std::out_of_range):
// one step, or every step in order. `problem` has passed validate(), ill-formed flags excepted
// (REC-6).
void run_wrong_step(const Problem& problem, std::int64_t step, const Outputs& outputs,
                    std::span<const std::size_t> wrong);
void run_wrong(const Problem& problem, const Outputs& outputs, std::span<const std::size_t> wrong);

struct Diagnosis {
  std::vector<std::size_t> wrong;  // one or two indices; empty when none fits
  std::string sentence;            // "reproduced by: no restart after an invalid LAST (ARI-4)"
};

// singles: one wrong rule at a time. pairs: then pairs of wrong rules that change this problem's
// outputs at all.
enum class DiagnosisDepth : std::uint8_t { singles, pairs };

// `observed` holds what the implementation left.
Diagnosis diagnose(const Problem& problem, const ConstOutputs& observed,
                   DiagnosisDepth depth = DiagnosisDepth::pairs);

}  // namespace chainwalk::conformance
