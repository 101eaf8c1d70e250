// SPDX-License-Identifier: Apache-2.0
// Verdicts of single runs: what an outcome means, and whether outputs equal the reference's.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <limits>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/validate.h"
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

// The diagnosis runs the walk many times: past this size the shrunk problem is what is diagnosed.
constexpr std::int64_t diagnosed_columns_max = 1 << 22;

std::uint64_t hash_of(const Outputs& outputs) {
  std::uint64_t hash = XXH3_64bits(outputs.bank.data(), outputs.bank.size());
  for (const auto bytes :
       {std::span<const std::byte>(outputs.snapshot), std::span<const std::byte>(outputs.payload),
        std::as_bytes(std::span<const float>(outputs.scale))}) {
    hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), hash);
  }
  return hash;
}

void explain(CaseResult& result, const Problem& problem, const Outcome& outcome) {
  const ProblemShape& shape = problem.shape;
  if (shape.num_chunks * shape.positions > diagnosed_columns_max / shape.head_dim) return;
  const Diagnosis diagnosis = diagnose(problem, outcome.outputs->views());
  result.diagnosis = diagnosis.sentence;
  for (const std::size_t wrong : diagnosis.wrong)
    result.broken_rules.emplace_back(wrong_rules()[wrong].rule);
}

}  // namespace

CaseResult judge_outcome(const Outcome& outcome) {
  CaseResult result;
  result.text = outcome.text;
  switch (outcome.status) {
    case CW_OK: result.verdict = Verdict::pass; break;
    case CW_REFUSED: result.verdict = Verdict::unsupported; break;
    case CW_ERROR_STICKY: result.verdict = Verdict::crash; break;
    default: result.verdict = Verdict::fail; break;
  }
  if (outcome.stray) {
    result.verdict = Verdict::fail;
    result.difference = outcome.stray;
    result.text = fmt::format("{} was written (BIG-2)", outcome.stray->tensor);
    result.broken_rules = {"BIG-2"};
  }
  if (result.verdict == Verdict::pass) result.text.clear();
  return result;
}

std::optional<InputFault> fault_besides_flags(const Problem& problem, bool quantizes_as_cluster) {
  const auto faults = validate(problem, {.max_faults = std::numeric_limits<std::size_t>::max(),
                                         .quantizes_as_cluster = quantizes_as_cluster});
  const auto found = std::find_if(faults.begin(), faults.end(),
                                  [](const InputFault& fault) { return fault.rule != "REC-6"; });
  return found == faults.end() ? std::nullopt : std::optional(*found);
}

CaseResult equals_reference(Harness& harness, const Problem& problem) {
  const Outcome outcome = harness.run(problem);
  CaseResult result = judge_outcome(outcome);
  if (result.verdict != Verdict::pass) return result;
  const OutputBuffers expected(problem);
  reference::run(problem, expected.views());
  const Comparison comparison =
      compare(problem, expected.views(), outcome.outputs->views(), {OutputBuffers::default_poison});
  result.output_hash = hash_of(outcome.outputs->views());
  if (comparison.equal()) return result;
  result.verdict = Verdict::fail;
  result.difference = comparison.differences.front();
  result.text = fmt::format("{} of {} elements differ from the reference", comparison.differing(),
                            comparison.compared());
  result.broken_rules = concerned_rules(problem, *result.difference);
  explain(result, problem, outcome);
  return result;
}

}  // namespace chainwalk::conformance
