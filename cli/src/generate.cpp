// SPDX-License-Identifier: Apache-2.0
// chainwalk generate: a random problem from parameters, seed and index, as a capture.
#include "chainwalk/generate/generate.h"

#include <algorithm>
#include <map>
#include <memory>

#include "capture_files.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/platform/json_nesting.h"
#include "chainwalk/spec/validate.h"
#include "command.h"
#include "implementation_choice.h"
#include "option_checks.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct GenerateCommand {
  std::uint64_t seed = 1, index = 0;
  std::string parameters = "{}";
  std::map<std::string, std::string> fields;  // key of the JSON -> text given
  bool draw = false, no_outputs = false, json = false;
  std::string output;
  ImplementationChoice choice;
};

// The parameters as JSON are the one list of their names and types.
Json default_fields() {
  Json fields = Json::parse(generate::to_json(generate::Parameters{}));
  fields.erase("generator_version");
  return fields;
}

std::string option_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

[[noreturn]] void refuse(const std::string& message) {
  throw InputError({"", std::nullopt, std::nullopt, message});
}

generate::Parameters chosen_parameters(const GenerateCommand& command) {
  std::string base = command.parameters;
  if (command.draw)
    base = generate::to_json(generate::draw_parameters(command.seed, command.index));
  Json json = platform::nests_too_deep(base) ? Json() : Json::parse(base, nullptr, false);
  if (!json.is_object()) refuse("option --parameters is not a JSON object");
  const Json defaults = default_fields();
  for (const auto& [key, text] : command.fields) {
    if (defaults.at(key).is_string()) {
      json[key] = text;
      continue;
    }
    const Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded() || value.is_structured()) {
      refuse(fmt::format("option {} is '{}'; a value like {} is needed", option_name(key), text,
                         defaults.at(key).dump()));
    }
    json[key] = value;
  }
  return generate::from_json(json.dump());
}

// Fills in what the implementation leaves; a problem must not be written with outputs of a run
// that failed.
std::unique_ptr<OutputBuffers> outputs_of(const Problem& problem,
                                          const ImplementationChoice& choice) {
  const conformance::Implementation implementation = choice.open();
  conformance::Harness harness(implementation);
  conformance::RunOptions options;
  options.poison = std::byte{0};
  conformance::Outcome outcome = harness.run(problem, options);
  if (outcome.status != CW_OK) {
    refuse(fmt::format("{} did not run the problem: {}", implementation.table->name, outcome.text));
  }
  return std::move(outcome.outputs);
}

int run_generate(const GenerateCommand& command) {
  const generate::Parameters parameters = chosen_parameters(command);
  Capture capture;
  capture.problem = generate::make_problem(parameters, command.seed, command.index);
  require_valid(capture.problem);
  std::unique_ptr<OutputBuffers> outputs;
  capture.device = "none";
  if (!command.no_outputs) {
    outputs = outputs_of(capture.problem, command.choice);
    capture.has_expected = true;
    capture.expected = outputs->views();
    capture.device = command.choice.on;
  }
  capture.source = "generated";
  capture.metadata["parameters"] = generate::to_json(parameters);
  capture.metadata["seed"] = std::to_string(command.seed);
  capture.metadata["index"] = std::to_string(command.index);
  write_capture(command.output, capture);
  if (command.json) {
    print_json({{"command", "generate"},
                {"output", command.output},
                {"seed", command.seed},
                {"index", command.index},
                {"parameters", Json::parse(generate::to_json(parameters))},
                {"has_outputs", capture.has_expected},
                {"shape", to_json(capture.problem.shape)}});
  } else {
    say("wrote {}: {}\n", command.output, describe(capture.problem.shape));
  }
  return status_ok;
}

void add_parameter_options(CLI::App& app, GenerateCommand& command) {
  const Json defaults = default_fields();
  for (const auto& [key, value] : defaults.items()) {
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    app.add_option_function<std::string>(
           option_name(key),
           [&command, name = key](const std::string& text) { command.fields[name] = text; },
           "default " + shown)
        ->type_name(value.is_string()         ? "NAME"
                    : value.is_boolean()      ? "true|false"
                    : value.is_number_float() ? "SHARE"
                                              : "N")
        ->group("Parameters");
  }
}

}  // namespace

std::function<int()> set_up_generate(CLI::App& app) {
  auto command = std::make_shared<GenerateCommand>();
  app.add_option("-o,--output", command->output, "Capture file to write, whole or not at all")
      ->required()
      ->type_name("OUT");
  app.add_option("--seed", command->seed, "Seed of the stream of problems")
      ->check(require_unsigned)
      ->capture_default_str();
  app.add_option("--index", command->index, "Which problem of the stream")
      ->check(require_unsigned)
      ->capture_default_str();
  app.add_option("--parameters", command->parameters, "Parameters as a JSON object")
      ->type_name("JSON");
  app.add_flag("--draw", command->draw, "Draw the parameters too, from seed and index")
      ->excludes("--parameters");
  app.add_flag("--no-outputs", command->no_outputs, "Write the inputs only");
  add_parameter_options(app, *command);
  command->choice.add_to(app);
  app.add_flag("--json", command->json,
               "One JSON document: command, output, seed, index, parameters, has_outputs, shape");
  app.footer(
      "The problem is a function of (parameters, seed, index) alone: the same bits everywhere.\n"
      "Options of the group Parameters come on top of --parameters or --draw. Outputs are made by\n"
      "the implementation that --on names.\n\n"
      "Examples:\n"
      "  chainwalk generate -o a.safetensors --head-dim 100 --snapshot fp8 --seed 7\n"
      "  chainwalk generate -o b.safetensors --draw --index 12 --no-outputs");
  return [command] { return run_generate(*command); };
}

}  // namespace chainwalk::cli
