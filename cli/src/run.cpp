// SPDX-License-Identifier: Apache-2.0
// chainwalk run: the outputs of an implementation, written as a capture.
#include <memory>

#include "capture_files.h"
#include "chainwalk/conformance/harness.h"
#include "command.h"
#include "implementation_choice.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct RunCommand {
  std::string file, output;
  ImplementationChoice choice;
  bool json = false;
};

int run_capture(const RunCommand& command) {
  Capture capture = read_valid_capture(command.file);
  const conformance::Implementation implementation = command.choice.open();
  conformance::Harness harness(implementation);
  conformance::RunOptions options;
  options.poison = std::byte{0};  // rows that nobody writes are zero in the file
  const conformance::Outcome outcome = harness.run(capture.problem, options);
  if (outcome.status != CW_OK) {
    print_error(fmt::format("{}: {} did not run it: {}", command.file, implementation.table->name,
                            outcome.text));
    return status_different;
  }
  capture.has_expected = true;
  capture.expected = outcome.outputs->views();
  capture.device = fmt::format("{} {}", implementation.table->name, implementation.table->version);
  write_capture(command.output, capture);
  if (command.json) {
    print_json({{"command", "run"},
                {"file", command.file},
                {"output", command.output},
                {"implementation", implementation.table->name},
                {"shape", to_json(capture.problem.shape)}});
  } else {
    say("wrote {}: {}\n", command.output, describe(capture.problem.shape));
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_run(CLI::App& app) {
  auto command = std::make_shared<RunCommand>();
  app.add_option("FILE", command->file, "Capture file; outputs in it are not read")->required();
  app.add_option("-o,--output", command->output, "Capture file to write, whole or not at all")
      ->required()
      ->type_name("OUT");
  command->choice.add_to(app);
  app.add_flag("--json", command->json,
               "One JSON document: command, file, output, implementation, shape");
  app.footer(
      "Example:\n"
      "  chainwalk run problem.safetensors -o answer.safetensors --on oracle\n\n"
      "Exit status: 0 written, 1 the implementation refused or failed, 2 malformed input or an\n"
      "output that cannot be written.");
  return [command] { return run_capture(*command); };
}

}  // namespace chainwalk::cli
