// SPDX-License-Identifier: Apache-2.0
// Runs the walk with wrong rules and looks for the set that reproduces what was observed.
#include "chainwalk/conformance/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/reference/walk.h"
#include "faulty_rules.h"

namespace chainwalk::conformance {
namespace {

constexpr std::array wrong_table{
#define CW_WRONG(name, id, description, rule) WrongRule{id, description, rule},
#include "wrong_rules.def"
#undef CW_WRONG
};

// Work of one run, in columns of members: pairs are tried only while their number times this stays
// within reason.
constexpr std::int64_t pair_work_limit = std::int64_t{1} << 27U;

void walk(const Problem& problem, const Outputs& outputs, const FaultyRules::Set& wrong) {
  const FaultyRules rules(problem, wrong);
  for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
    reference::walk_step(rules, problem, step, outputs);
  }
}

FaultyRules::Set set_of(std::span<const std::size_t> wrong) {
  FaultyRules::Set set;
  for (const std::size_t index : wrong) {
    if (index >= wrong_table.size()) {
      throw std::out_of_range(
          fmt::format("wrong rule {} does not exist; there are {}", index, wrong_table.size()));
    }
    set.set(index);
  }
  return set;
}

bool reproduces(const Problem& problem, const ConstOutputs& observed,
                std::span<const std::size_t> wrong) {
  const OutputBuffers buffers(problem);
  walk(problem, buffers.views(), set_of(wrong));
  return same_bytes(buffers.views(), observed);
}

std::string name_of(std::size_t index) {
  return phrase_of(wrong_table[index].description, wrong_table[index].rule);
}

// Indices of the wrong rules that change the outputs of this problem; the one that reproduces
// `observed`, if any, is put into `found`.
std::vector<std::size_t> active_rules(const Problem& problem, const ConstOutputs& observed,
                                      std::vector<std::size_t>& found) {
  const OutputBuffers correct(problem);
  walk(problem, correct.views(), {});
  std::vector<std::size_t> active;
  for (std::size_t index = 0; index < wrong_table.size(); ++index) {
    const OutputBuffers buffers(problem);
    walk(problem, buffers.views(), set_of(std::array{index}));
    if (same_bytes(buffers.views(), correct.views())) continue;
    active.push_back(index);
    if (same_bytes(buffers.views(), observed)) {
      found = {index};
      return active;
    }
  }
  return active;
}

}  // namespace

std::span<const WrongRule> wrong_rules() noexcept { return wrong_table; }

std::string phrase_of(std::string_view description, std::string_view rule) {
  return fmt::format("{} ({})", description, rule);
}

void run_wrong_step(const Problem& problem, std::int64_t step, const Outputs& outputs,
                    std::span<const std::size_t> wrong) {
  reference::walk_step(FaultyRules(problem, set_of(wrong)), problem, step, outputs);
}

void run_wrong(const Problem& problem, const Outputs& outputs, std::span<const std::size_t> wrong) {
  walk(problem, outputs, set_of(wrong));
}

Diagnosis diagnose(const Problem& problem, const ConstOutputs& observed, DiagnosisDepth depth) {
  Diagnosis diagnosis;
  const std::vector<std::size_t> active = active_rules(problem, observed, diagnosis.wrong);
  const ProblemShape& shape = problem.shape;
  const std::int64_t work =
      std::max<std::int64_t>(1, shape.num_chunks * shape.positions) * shape.head_dim;
  const auto pairs = static_cast<std::int64_t>(active.size() * active.size() / 2);
  const bool pairs_wanted = depth == DiagnosisDepth::pairs;
  const bool pairs_fit = pairs_wanted && (pairs == 0 || work <= pair_work_limit / pairs);
  for (std::size_t first = 0; diagnosis.wrong.empty() && pairs_fit && first < active.size();
       ++first) {
    for (std::size_t second = first + 1; second < active.size(); ++second) {
      const std::array pair{active[first], active[second]};
      if (!reproduces(problem, observed, pair)) continue;
      diagnosis.wrong.assign(pair.begin(), pair.end());
      break;
    }
  }
  if (diagnosis.wrong.empty()) {
    diagnosis.sentence =
        pairs_fit ? "no single wrong rule and no pair of them reproduces the observed bits"
        : pairs_wanted
            ? "no single wrong rule reproduces the observed bits; pairs were not tried on a "
              "problem of this size"
            : "no single wrong rule reproduces the observed bits";
  } else {
    diagnosis.sentence = "reproduced by: " + name_of(diagnosis.wrong.front());
    if (diagnosis.wrong.size() == 2)
      diagnosis.sentence += " together with " + name_of(diagnosis.wrong.back());
  }
  return diagnosis;
}

}  // namespace chainwalk::conformance
