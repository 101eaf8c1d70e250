// SPDX-License-Identifier: Apache-2.0
// chainwalk worker: runs the cases that a conformance run hands it; started by `chainwalk conform`.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "chainwalk/conformance/run.h"
#include "chainwalk/conformance/worker_predicate.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "implementation_choice.h"
#include "output.h"
#include "probe.h"
#include "suite_choice.h"

namespace chainwalk::cli {
namespace {

using namespace conformance;

struct WorkerCommand {
  ImplementationChoice choice;
  SuiteChoice suite;
  std::string judge;
  bool problems = false;
  bool probe = false;
};

using ProblemJudge = std::function<CaseResult(Harness&, const Problem&)>;

// How the case of that name judges its problem.
ProblemJudge judge_of(const std::vector<Case>& cases, const std::string& id) {
  const auto found =
      std::find_if(cases.begin(), cases.end(), [&](const Case& one) { return one.id == id; });
  if (found == cases.end() || found->judge == nullptr) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      fmt::format("case '{}' does not exist or has no problem", id)});
  }
  return found->judge;
}

int serve(const WorkerCommand& command) {
  if (::fcntl(worker_result_descriptor, F_GETFD) < 0) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      "descriptor 3 is not open: 'chainwalk conform' starts workers itself"});
  }
  if (command.probe) {
    answer_probe(command.choice, worker_result_descriptor);
    return status_ok;
  }
  write_mark(worker_result_descriptor, true);
  const Implementation implementation = command.choice.open();
  write_mark(worker_result_descriptor, false);
  const auto open = [&] { return std::make_unique<Harness>(implementation); };
  if (command.problems || !command.judge.empty()) {
    const ProblemJudge judge = command.judge.empty()
                                   ? ProblemJudge(equals_reference)
                                   : judge_of(command.suite.cases(), command.judge);
    serve_problems(open, judge, STDIN_FILENO, worker_result_descriptor);
  } else {
    serve_cases(command.suite.cases(), open, STDIN_FILENO, worker_result_descriptor);
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_worker(CLI::App& app) {
  auto command = std::make_shared<WorkerCommand>();
  command->choice.add_to(app);
  command->suite.add_to(app);
  app.add_flag("--problems", command->problems,
               "Read paths of problems instead of case ids, and compare with the reference");
  app.add_flag("--probe", command->probe, "Only open the implementation and say what came of it");
  app.add_option("--judge", command->judge, "As --problems, judged as this case judges its own")
      ->type_name("CASE");
  app.footer("Reads case ids from standard input and writes results to descriptor 3, a line each.");
  return [command] { return serve(*command); };
}

}  // namespace chainwalk::cli
