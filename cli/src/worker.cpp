// SPDX-License-Identifier: Apache-2.0
// chainwalk worker: runs the cases that a conformance run hands it; started by `chainwalk conform`.
#include <fcntl.h>
#include <unistd.h>

#include <memory>

#include "chainwalk/conformance/run.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "implementation_choice.h"
#include "shrink_failures.h"
#include "suite_choice.h"

namespace chainwalk::cli {
namespace {

struct WorkerCommand {
  ImplementationChoice choice;
  SuiteChoice suite;
  std::string shrink;
  std::string output;
};

int serve(const WorkerCommand& command) {
  if (!command.shrink.empty()) {
    conformance::Harness harness(command.choice.open());
    shrink_to_file(command.suite.cases(), command.shrink, command.choice.label(), harness,
                   command.output);
    return status_ok;
  }
  if (::fcntl(conformance::worker_result_descriptor, F_GETFD) < 0) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      "descriptor 3 is not open: 'chainwalk conform' starts workers itself"});
  }
  const conformance::Implementation implementation = command.choice.open();
  conformance::serve_cases(
      command.suite.cases(), [&] { return std::make_unique<conformance::Harness>(implementation); },
      STDIN_FILENO, conformance::worker_result_descriptor);
  return status_ok;
}

}  // namespace

std::function<int()> set_up_worker(CLI::App& app) {
  auto command = std::make_shared<WorkerCommand>();
  command->choice.add_to(app);
  command->suite.add_to(app);
  app.add_option("--shrink", command->shrink, "Shrink the failure of this case and end")
      ->type_name("CASE");
  app.add_option("--output", command->output, "Replay file of the shrunk failure")
      ->type_name("FILE");
  app.footer("Reads case ids from standard input and writes results to descriptor 3, a line each.");
  return [command] { return serve(*command); };
}

}  // namespace chainwalk::cli
