// SPDX-License-Identifier: Apache-2.0
// chainwalk replay: runs one failed problem again.
#include <charconv>
#include <memory>

#include "capture_files.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "fuzz_choice.h"
#include "implementation_choice.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct ReplayCommand {
  std::string file;
  ImplementationChoice choice;
  bool json = false;
};

struct Verdict {
  bool equal = false;
  std::string text;
  std::string diagnosis;
};

Verdict judge(const Problem& problem, const conformance::Outcome& outcome) {
  if (outcome.status != CW_OK) return {false, "it did not run: " + outcome.text, ""};
  if (outcome.stray) return {false, outcome.stray->tensor + " was written", ""};
  const OutputBuffers expected(problem);
  reference::run(problem, expected.views());
  const auto comparison = conformance::compare(problem, expected.views(), outcome.outputs->views(),
                                               {OutputBuffers::default_poison});
  if (comparison.equal())
    return {true, fmt::format("{} elements equal the reference", comparison.compared()), ""};
  const conformance::Difference& first = comparison.differences.front();
  return {false,
          fmt::format("{} row {} column {}: expected {}, got {}; {} of {} elements differ",
                      first.tensor, first.row, first.column, first.expected, first.actual,
                      comparison.differing(), comparison.compared()),
          conformance::diagnose(problem, outcome.outputs->views()).sentence};
}

Verdict judge_on(const Problem& problem, const ImplementationChoice& choice) {
  conformance::Harness harness(choice.open());
  return judge(problem, harness.run(problem));
}

// A problem whose rows lie at the borders of a sparse bank.
Verdict judge_sparse(const conformance::Replay& replayed, const ImplementationChoice& choice) {
  fuzz::FuzzCase like;
  const std::string& word = replayed.note.sparse_bank;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), like.big_word);
  if (error != std::errc() || end != word.data() + word.size()) {
    throw InputError(
        {"REPLAY", std::nullopt, std::nullopt,
         fmt::format("metadata replay_sparse_bank is '{}'; a number is needed", word)});
  }
  like.big_rows = {0};
  fuzz::Examiner examiner(choice.open(), model_of("reference"));
  const fuzz::Judgement judgement = examiner.examine(fuzz::dressed(replayed.capture.problem, like));
  const bool equal = judgement.verdict == conformance::Verdict::pass;
  return {equal, equal ? "equal to the same rows in a small bank" : judgement.text,
          judgement.diagnosis};
}

int replay(const ReplayCommand& command) {
  const conformance::Replay replayed = conformance::read_replay(command.file);
  ImplementationChoice choice = command.choice;
  if (choice.on.empty()) choice.on = replayed.note.implementation;
  const Verdict verdict = replayed.note.sparse_bank.empty()
                              ? judge_on(replayed.capture.problem, choice)
                              : judge_sparse(replayed, choice);
  if (command.json) {
    print_json({{"command", "replay"},
                {"file", command.file},
                {"case", replayed.note.case_id},
                {"implementation", choice.on},
                {"equal", verdict.equal},
                {"text", verdict.text},
                {"diagnosis", verdict.diagnosis}});
    return verdict.equal ? status_ok : status_different;
  }
  if (replayed.specification_version != specification_version()) {
    say("note: recorded under specification {}, replayed under {}\n",
        replayed.specification_version, specification_version());
  }
  say("{} on {}: {}\n  {}\n", replayed.note.case_id, choice.on,
      verdict.equal ? "equal" : "different", verdict.text);
  if (!verdict.diagnosis.empty()) say("  {}\n", verdict.diagnosis);
  return verdict.equal ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_replay(CLI::App& app) {
  auto command = std::make_shared<ReplayCommand>();
  command->choice.on.clear();
  app.add_option("FILE", command->file, "Replay file of a failed case")->required();
  command->choice.add_to(app);
  app.add_flag("--json", command->json,
               "One JSON document: command, file, case, implementation, equal, text, diagnosis");
  app.footer(
      "Runs the problem of a failure again, on the implementation that failed or on another "
      "one.\n\n"
      "Examples:\n"
      "  chainwalk replay chainwalk-report/replay_ARI_restart-after-invalid-bf16_0.safetensors\n"
      "  chainwalk replay failure.safetensors --on oracle\n\n"
      "Exit status: 0 equal now, 1 it still fails, 2 malformed input.");
  return [command] { return replay(*command); };
}

}  // namespace chainwalk::cli
