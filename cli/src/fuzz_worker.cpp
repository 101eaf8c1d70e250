// SPDX-License-Identifier: Apache-2.0
// chainwalk fuzz-worker: runs the ranges that a campaign hands it; started by `chainwalk fuzz`.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "chainwalk/conformance/run.h"
#include "chainwalk/fuzz/serve.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "fuzz_choice.h"

namespace chainwalk::cli {
namespace {

struct FuzzWorkerCommand {
  FuzzChoice fuzz;
  std::string place;
};

int serve_campaign(FuzzWorkerCommand& command) {
  if (::fcntl(conformance::worker_result_descriptor, F_GETFD) < 0) {
    throw InputError({"RUN", std::nullopt, std::nullopt,
                      "descriptor 3 is not open: 'chainwalk fuzz' starts workers itself"});
  }
  // Whoever stops a campaign stops its parent, which ends the workers: a worker that went by itself
  // would look like a crash.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  command.fuzz.settle();
  fuzz::PlaceFile place(command.place);
  fuzz::Examiner examiner(command.fuzz.choice.open(), command.fuzz.model());
  fuzz::serve(fuzz::find_campaign(command.fuzz.campaign), command.fuzz.seed, examiner, place,
              STDIN_FILENO, conformance::worker_result_descriptor);
  return status_ok;
}

}  // namespace

std::function<int()> set_up_fuzz_worker(CLI::App& app) {
  auto command = std::make_shared<FuzzWorkerCommand>();
  command->fuzz.add_to(app);
  app.add_option("--place", command->place, "File that says which case is run")
      ->type_name("FILE")
      ->required();
  app.footer("Reads requests from standard input and writes answers to descriptor 3, a line each.");
  return [command] { return serve_campaign(*command); };
}

}  // namespace chainwalk::cli
