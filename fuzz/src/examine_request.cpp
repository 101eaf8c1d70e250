// SPDX-License-Identifier: Apache-2.0
// Verdicts of requests: what an implementation decides against what the rules ask for.
#include "examine_request.h"

#include <fmt/format.h>

#include "chainwalk/fuzz/decision.h"

namespace chainwalk::fuzz {
namespace {

using conformance::Outcome;
using conformance::Verdict;

std::string phrase_of(std::int32_t refusal) {
  return refusal == CW_REFUSAL_NONE
             ? "accepts it"
             : fmt::format("refuses it with code {} ({})", refusal, decision_name(refusal));
}

// A call that decided otherwise, or did not decide.
Judgement wrong_decision(const char* call, const Outcome& outcome, std::int32_t asked) {
  Judgement judgement;
  judgement.verdict = Verdict::fail;
  const bool decided = outcome.status == CW_OK || outcome.status == CW_REFUSED;
  const std::string got =
      decided ? decision_name(outcome.refusal) : fmt::format("status-{}", outcome.status);
  judgement.key = fmt::format("decides-{}-not-{}", got, decision_name(asked));
  judgement.text = fmt::format(
      "{} {}, and the rules {}; it says: {}", call,
      decided ? phrase_of(outcome.refusal) : fmt::format("ends with status {}", outcome.status),
      asked == CW_REFUSAL_NONE ? "take it"
                               : fmt::format("ask for {} ({})", asked, decision_name(asked)),
      outcome.text);
  return judgement;
}

bool is_decision(const Outcome& outcome, const cw_request& request) {
  const bool refused = outcome.status == CW_REFUSED;
  return (refused || outcome.status == CW_OK) && refused == (outcome.refusal != CW_REFUSAL_NONE) &&
         may_decide(request, outcome.refusal);
}

}  // namespace

Judgement examine_request(conformance::Harness& harness, const FuzzCase& fuzz_case) {
  const cw_request request = sketch_request(fuzz_case.problem.shape, fuzz_case.edits);
  const cw_refusal asked = refusal_asked_for(request);
  const Outcome supported = harness.supports_only(request);
  if (!is_decision(supported, request)) return wrong_decision("supports()", supported, asked);
  Judgement judgement;
  judgement.refusal = supported.refusal;
  judgement.verdict = Verdict::pass;
  if (supported.status == CW_OK) return judgement;
  // A plan of what is refused looks at nothing behind a pointer either.
  const Outcome planned = harness.plan_only(request);
  if (planned.status != CW_REFUSED || planned.refusal != supported.refusal) {
    judgement = wrong_decision("plan()", planned, supported.refusal);
  } else if (is_limit(supported.refusal) && asked == CW_REFUSAL_NONE) {
    judgement.verdict = Verdict::unsupported;
    judgement.text = supported.text;
  }
  return judgement;
}

}  // namespace chainwalk::fuzz
