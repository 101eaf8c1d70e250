// SPDX-License-Identifier: Apache-2.0
// Verdicts of single cases, and the keys of what is wrong.
#include "chainwalk/fuzz/examine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <new>
#include <utility>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/spec/fault.h"
#include "examine_request.h"
#include "sparse.h"

namespace chainwalk::fuzz {
namespace {

using conformance::Verdict;

// Diagnosis runs the walk once for each wrong rule: past this many columns of members it is left to
// the shrunk problem.
constexpr std::int64_t diagnosed_columns_max = 1 << 20;

// Lower-case words joined by '-', at most `words` of them, digits left out.
std::string slug(std::string_view text, int words) {
  std::string made;
  int count = 0;
  bool inside = false;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalpha(code) == 0) {
      inside = false;
      continue;
    }
    if (!inside && ++count > words) break;
    if (!inside && !made.empty()) made += '-';
    inside = true;
    made += static_cast<char>(std::tolower(code));
  }
  return made;
}

Judgement failed(std::string key, std::string text) {
  Judgement judgement;
  judgement.verdict = Verdict::fail;
  judgement.key = std::move(key);
  judgement.text = std::move(text);
  return judgement;
}

// What an outcome says by itself; pass where only the bits are left to compare.
Judgement judge_status(const conformance::Outcome& outcome) {
  if (outcome.stray) {
    Judgement judgement = failed("stray-" + slug(outcome.stray->tensor, 4),
                                 outcome.stray->tensor + " was written (BIG-2)");
    judgement.difference = outcome.stray;
    return judgement;
  }
  Judgement judgement;
  judgement.verdict = Verdict::pass;
  switch (outcome.status) {
    case CW_OK: return judgement;
    case CW_REFUSED:
      judgement.verdict = Verdict::unsupported;
      judgement.text = outcome.text;
      return judgement;
    // The kind of a finding stands before its first colon.
    case CW_FINDING:
      return failed("finding-" + slug(outcome.text.substr(0, outcome.text.find(':')), 6),
                    outcome.text);
    case CW_ERROR_STICKY: {
      judgement = failed("device-lost", outcome.text);
      judgement.verdict = Verdict::crash;
      return judgement;
    }
    default: return failed("error-" + slug(outcome.text, 5), outcome.text);
  }
}

Judgement judge_bits(const Problem& problem, const ConstOutputs& expected,
                     const ConstOutputs& actual) {
  Judgement judgement;
  judgement.verdict = Verdict::pass;
  if (conformance::same_bytes(expected, actual)) return judgement;
  const auto comparison =
      conformance::compare(problem, expected, actual, {OutputBuffers::default_poison});
  // Bits that no rule speaks about may differ.
  if (comparison.equal()) return judgement;
  judgement = failed("", fmt::format("{} of {} elements differ from the model",
                                     comparison.differing(), comparison.compared()));
  judgement.difference = comparison.differences.front();
  const ProblemShape& shape = problem.shape;
  if (shape.num_chunks * shape.positions <= diagnosed_columns_max / shape.head_dim) {
    const auto diagnosis =
        conformance::diagnose(problem, actual, conformance::DiagnosisDepth::singles);
    if (!diagnosis.wrong.empty()) {
      judgement.key = conformance::wrong_rules()[diagnosis.wrong.front()].id;
      judgement.diagnosis = diagnosis.sentence;
    }
  }
  if (judgement.key.empty()) judgement.key = "wrong-" + slug(judgement.difference->tensor, 3);
  return judgement;
}

}  // namespace

struct Examiner::Impl {
  conformance::Implementation implementation;
  Model model;
  std::unique_ptr<conformance::Harness> harness;
  std::vector<std::string> open_with;  // options of the open session

  conformance::Harness& session(const std::vector<std::string>& options) {
    if (harness != nullptr && options == open_with) return *harness;
    harness.reset();
    conformance::Implementation chosen = implementation;
    chosen.options.insert(chosen.options.end(), options.begin(), options.end());
    harness = std::make_unique<conformance::Harness>(chosen);
    open_with = options;
    return *harness;
  }

  Judgement examine_small(const FuzzCase& fuzz_case) {
    const Problem& problem = fuzz_case.problem;
    const conformance::Outcome outcome = session(fuzz_case.options).run(problem);
    Judgement judgement = judge_status(outcome);
    if (judgement.verdict != Verdict::pass) return judgement;
    const OutputBuffers expected(problem);
    model(problem, expected.views());
    return judge_bits(problem, expected.views(), outcome.outputs->views());
  }

  // BIG-1: the rows end as in a small bank; BIG-2: no other page changes.
  Judgement examine_big(const FuzzCase& fuzz_case) {
    const Problem& problem = fuzz_case.problem;
    const conformance::SparseRows bank{fuzz_case.big_rows,
                                       {problem.bank_before.begin(), problem.bank_before.end()}};
    const conformance::SparseOutcome left =
        session(fuzz_case.options).run_sparse(on_sparse_bank(fuzz_case), bank);
    Judgement judgement = judge_status(left.outcome);
    if (judgement.verdict != Verdict::pass) return judgement;
    const OutputBuffers expected(problem);
    model(problem, expected.views());
    const Outputs& others = left.outcome.outputs->views();
    judgement = judge_bits(problem, expected.views(),
                           {left.rows, others.snapshot, others.payload, others.scale});
    const auto stray =
        stray_page(left.nonzero_pages, fuzz_case.big_rows, problem.shape.bank_row_bytes());
    // A row that went elsewhere is the fault, not the wrong bits that it leaves behind.
    if (stray) {
      judgement.verdict = Verdict::fail;
      judgement.key = "stray-page";
      judgement.text = fmt::format(
          "the page at byte {} of the bank, which holds no written row, was written (BIG-1)",
          *stray);
      judgement.diagnosis.clear();
    }
    return judgement;
  }
};

Examiner::Examiner(conformance::Implementation implementation, Model model)
    : impl_(std::make_unique<Impl>()) {
  impl_->implementation = std::move(implementation);
  impl_->model = std::move(model);
  if (impl_->implementation.table->memory == CW_MEMORY_HOST)
    impl_->implementation.memory = pooled_memory();
}
Examiner::~Examiner() = default;

Judgement Examiner::examine(const FuzzCase& fuzz_case) {
  try {
    if (!fuzz_case.edits.empty())
      return examine_request(impl_->session(fuzz_case.options), fuzz_case);
    return fuzz_case.big_rows.empty() ? impl_->examine_small(fuzz_case)
                                      : impl_->examine_big(fuzz_case);
  } catch (const std::bad_alloc&) {
    Judgement judgement = failed("out-of-memory", "out of memory");
    judgement.verdict = Verdict::crash;
    return judgement;
  } catch (const std::exception& error) {
    return failed("error-" + slug(error.what(), 5), error.what());
  }
}

}  // namespace chainwalk::fuzz
