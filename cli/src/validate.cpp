// SPDX-License-Identifier: Apache-2.0
// chainwalk validate: every fault of a file, with its rule and place.
#include "chainwalk/spec/validate.h"

#include <memory>

#include "capture_files.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

struct ValidateCommand {
  std::vector<std::string> files;
  std::uint32_t max_faults = 16;
  bool json = false;
};

std::vector<InputFault> faults_of(const std::filesystem::path& path, std::size_t max_faults) {
  try {
    return validate(read_capture(path).problem, {.max_faults = max_faults});
  } catch (const InputError& error) {
    return {error.fault()};
  } catch (const std::system_error& error) {
    return {InputFault{"", std::nullopt, std::nullopt, error.what()}};
  }
}

int run_validate(const ValidateCommand& command) {
  int status = status_ok;
  Json reports = Json::array();
  for (const auto& path : expand_files(command.files)) {
    const auto faults = faults_of(path, command.max_faults);
    if (!faults.empty()) status = status_malformed;
    if (command.json) {
      Json json{{"file", path.string()}, {"valid", faults.empty()}, {"faults", Json::array()}};
      for (const InputFault& fault : faults) json["faults"].push_back(to_json(fault));
      reports.push_back(std::move(json));
      continue;
    }
    if (faults.empty()) say("valid  {}\n", path.string());
    flush_output();
    for (const InputFault& fault : faults) {
      const bool named = fault.message.find(path.string()) != std::string::npos;
      print_error(named ? fault.message : fmt::format("{}: {}", path.string(), fault.message));
    }
  }
  if (command.json) {
    print_json({{"command", "validate"}, {"valid", status == status_ok}, {"files", reports}});
  }
  return status;
}

}  // namespace

std::function<int()> set_up_validate(CLI::App& app) {
  auto command = std::make_shared<ValidateCommand>();
  app.add_option("FILE", command->files, "Capture files, or folders of *.safetensors")->required();
  app.add_option("--max-faults", command->max_faults, "Faults to report per file")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_flag("--json", command->json,
               "One JSON document: command, valid, files (file, valid, faults: rule, chunk, "
               "position, message)");
  app.footer(
      "Checks the file and the problem in it: sizes, slots, flags of records, tiles and ordinals.\n"
      "Every fault names its rule, the chunk and position, the value found and the value "
      "needed.\n\n"
      "Examples:\n"
      "  chainwalk validate spec/vectors\n"
      "  chainwalk validate mine.safetensors --json\n\n"
      "Exit status: 0 all files are well-formed, 2 one is not.");
  return [command] { return run_validate(*command); };
}

}  // namespace chainwalk::cli
