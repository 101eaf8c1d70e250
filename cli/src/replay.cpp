// SPDX-License-Identifier: Apache-2.0
// chainwalk replay: runs one failed problem again.
#include <charconv>
#include <memory>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/suite.h"
#include "chainwalk/conformance/worker_predicate.h"
#include "chainwalk/fuzz/pool.h"
#include "chainwalk/platform/temporary_folder.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "fuzz_choice.h"
#include "implementation_choice.h"
#include "option_checks.h"
#include "output.h"
#include "probe.h"

namespace chainwalk::cli {
namespace {

struct ReplayCommand {
  std::string file;
  ImplementationChoice choice;
  double seconds = 60;
  bool in_process = false;
  bool json = false;
};

// In this process where a debugger or a profiler is to see the implementation.
conformance::CaseResult judge(const ReplayCommand& command, const ImplementationChoice& choice,
                              const Problem& problem) {
  if (command.in_process) {
    conformance::Harness harness(choice.open());
    return conformance::equals_reference(harness, problem);
  }
  (void)probe(choice, command.seconds);  // what cannot be opened is no verdict
  conformance::WorkerJudgeSettings worker{{"/proc/self/exe", "worker", "--problems"}};
  for (const std::string& word : choice.arguments()) worker.command.push_back(word);
  worker.problem_seconds = command.seconds;
  worker.quiet = false;
  return conformance::WorkerJudge(worker).judge(problem);
}

std::string sentence_of(const conformance::CaseResult& result) {
  if (result.verdict == conformance::Verdict::pass)
    return result.text.empty() ? "it equals the reference" : result.text;
  if (!result.difference) return result.text;
  const conformance::Difference& first = *result.difference;
  return fmt::format("{}; the first: {} row {} column {}: expected {}, got {}", result.text,
                     first.tensor, first.row, first.column, first.expected, first.actual);
}

// A case of a campaign that is more than its problem: rows at the borders of a sparse bank, or a
// request with changes.
fuzz::FuzzCase case_of(const conformance::Replay& replayed) {
  fuzz::FuzzCase like;
  const std::string& word = replayed.note.sparse_bank;
  if (!word.empty()) {
    const auto [end, error] =
        std::from_chars(word.data(), word.data() + word.size(), like.big_word);
    if (error != std::errc() || end != word.data() + word.size()) {
      throw InputError(
          {"REPLAY", std::nullopt, std::nullopt,
           fmt::format("metadata replay_sparse_bank is '{}'; a number is needed", word)});
    }
    like.big_rows = {0};
  }
  like.edits = fuzz::parse_request_edits(replayed.note.request_edits);
  return fuzz::dressed(replayed.capture.problem, like);
}

fuzz::Judgement examine(const ReplayCommand& command, const ImplementationChoice& choice,
                        const fuzz::FuzzCase& fuzz_case) {
  if (command.in_process)
    return fuzz::Examiner(choice.open(), model_of("reference")).examine(fuzz_case);
  (void)probe(choice, command.seconds);  // what cannot be opened is no verdict
  FuzzChoice as_fuzzed;
  as_fuzzed.choice = choice;
  as_fuzzed.against = "reference";
  as_fuzzed.campaign = "walk";
  as_fuzzed.settle();
  const platform::TemporaryFolder folder("chainwalk");
  fuzz::PoolSettings settings = as_fuzzed.pool_settings(folder.path());
  settings.case_seconds = command.seconds;
  return fuzz::Pool(settings).try_case(fuzz_case);
}

conformance::CaseResult judge_case(const ReplayCommand& command, const ImplementationChoice& choice,
                                   const fuzz::FuzzCase& fuzz_case) {
  const fuzz::Judgement judgement = examine(command, choice, fuzz_case);
  conformance::CaseResult result;
  result.verdict = judgement.verdict;
  result.text = judgement.text;
  if (!fuzz_case.edits.empty() && judgement.verdict == conformance::Verdict::pass)
    result.text = "it decides on the request as the rules ask";
  if (!judgement.diagnosis.empty()) result.diagnosis = judgement.diagnosis;
  return result;
}

int replay(const ReplayCommand& command) {
  const conformance::Replay replayed = conformance::read_replay(command.file);
  ImplementationChoice choice = command.choice;
  if (choice.on.empty()) choice.on = replayed.note.implementation;
  const conformance::ReplayNote& note = replayed.note;
  const bool only_a_problem = note.sparse_bank.empty() && note.request_edits.empty();
  const conformance::CaseResult result = only_a_problem
                                             ? judge(command, choice, replayed.capture.problem)
                                             : judge_case(command, choice, case_of(replayed));
  const bool equal = result.verdict == conformance::Verdict::pass;
  const std::string diagnosis = result.diagnosis.value_or("");
  if (command.json) {
    print_json({{"command", "replay"},
                {"file", command.file},
                {"case", replayed.note.case_id},
                {"implementation", choice.on},
                {"equal", equal},
                {"verdict", to_string(result.verdict)},
                {"text", sentence_of(result)},
                {"diagnosis", diagnosis}});
    return equal ? status_ok : status_different;
  }
  if (replayed.specification_version != specification_version()) {
    say("note: recorded under specification {}, replayed under {}\n",
        replayed.specification_version, specification_version());
  }
  say("{} on {}: {}\n  {}\n", replayed.note.case_id, choice.on, to_string(result.verdict),
      sentence_of(result));
  if (!diagnosis.empty()) say("  {}\n", diagnosis);
  return equal ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_replay(CLI::App& app) {
  auto command = std::make_shared<ReplayCommand>();
  command->choice.on.clear();
  app.add_option("FILE", command->file, "Replay file of a failed case")->required();
  command->choice.add_to(app);
  app.add_option("--case-seconds", command->seconds, "Seconds that the implementation may take")
      ->check(require_seconds)
      ->capture_default_str();
  app.add_flag("--in-process", command->in_process,
               "Run it in this process, for a debugger; a crash ends the program then");
  app.add_flag("--json", command->json,
               "One JSON document: command, file, case, implementation, equal, verdict, text, "
               "diagnosis");
  app.footer(
      "Runs the problem of a failure again, on the implementation that failed or on another one, "
      "in a\n"
      "process of its own, and compares with the reference.\n\n"
      "Examples:\n"
      "  chainwalk replay chainwalk-report/replay_ARI_restart-after-invalid-bf16_0.safetensors\n"
      "  chainwalk replay failure.safetensors --on oracle\n"
      "  gdb --args chainwalk replay failure.safetensors --on ./libmine.so --in-process\n\n"
      "Exit status: 0 equal now, 1 it still fails, 2 malformed input.");
  return [command] { return replay(*command); };
}

}  // namespace chainwalk::cli
