// SPDX-License-Identifier: Apache-2.0
// chainwalk export: a failure as a test that stands alone.
#include <map>
#include <memory>

#include "capture_files.h"
#include "chainwalk/conformance/suite.h"
#include "command.h"
#include "output.h"
#include "standalone_test.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

struct ExportCommand {
  std::string file, output;
  TestLanguage language = TestLanguage::cpp;
  bool json = false;
};

std::string metadata_of(const Capture& capture, const std::string& key) {
  const auto found = capture.metadata.find(key);
  return found == capture.metadata.end() ? std::string() : found->second;
}

int export_test(const ExportCommand& command) {
  const Capture capture = read_capture(command.file);
  if (auto fault = conformance::fault_besides_flags(capture.problem)) {
    fault->message = fmt::format("{}: {}", command.file, fault->message);
    throw InputError(*fault);
  }
  StandaloneTest test;
  test.language = command.language;
  test.title = metadata_of(capture, "replay_case");
  if (test.title.empty()) test.title = std::filesystem::path(command.file).filename().string();
  test.note = metadata_of(capture, "replay_text");
  const std::string diagnosis = metadata_of(capture, "replay_diagnosis");
  if (!diagnosis.empty()) test.note += (test.note.empty() ? "" : "; ") + diagnosis;
  const std::string source = standalone_test(capture.problem, test);
  write_file(command.output, source);
  if (command.json) {
    print_json({{"command", "export"},
                {"file", command.file},
                {"output", command.output},
                {"title", test.title},
                {"bytes", source.size()}});
  } else {
    say("{}: {} as a test of {} bytes\n", command.output, test.title, source.size());
  }
  return status_ok;
}

}  // namespace

std::function<int()> set_up_export(CLI::App& app) {
  auto command = std::make_shared<ExportCommand>();
  app.add_option("FILE", command->file, "Replay file of a failure, or any capture")->required();
  app.add_option("--as", command->language, "cpp, cuda or python")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, TestLanguage>{{"cpp", TestLanguage::cpp},
                                              {"cuda", TestLanguage::cuda},
                                              {"python", TestLanguage::python}}))
      ->type_name("LANGUAGE")
      ->default_str("cpp");
  app.add_option("-o,--output", command->output, "The source file to write")
      ->type_name("FILE")
      ->required();
  app.add_flag("--json", command->json, "One JSON document: command, file, output, title, bytes");
  app.footer(
      "Turns a failure into one source file that needs chainwalk/implementation.h and nothing else "
      "(cuda:\n"
      "the CUDA runtime too; python: ctypes alone). It runs the problem on a shared object, "
      "compares "
      "every\n"
      "byte with what the rules demand, guard zones and inputs included, and names the first that "
      "differs.\n\n"
      "Examples:\n"
      "  chainwalk export replay_ARI_x_0.safetensors --as cpp -o walk_test.cpp\n"
      "  c++ -std=c++17 -I PREFIX/include walk_test.cpp -o walk_test -ldl && ./walk_test "
      "./libmine.so\n"
      "  chainwalk export replay_ARI_x_0.safetensors --as python -o walk_test.py\n\n"
      "Exit status: 0 written, 2 malformed input or a file that cannot be written.");
  return [command] { return export_test(*command); };
}

}  // namespace chainwalk::cli
