// SPDX-License-Identifier: Apache-2.0
// chainwalk: one binary, a subcommand for each thing that one does with the specification.
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

constexpr const char* about =
    "Bit-exact reference and conformance suite for the fma-chain walk.\n\n"
    "Examples:\n"
    "  chainwalk verify spec/vectors/*.safetensors     every recorded problem, bit for bit\n"
    "  chainwalk verify mine.safetensors --on oracle   by the second, integer-only model\n"
    "  chainwalk explain mine.safetensors --chunk 0 --group 3 --column 17\n"
    "  chainwalk spec ARI-4                            what the rule says\n\n"
    "Exit status: 0 all is well, 1 outputs differ, 2 malformed input or usage.";

// The parser's own errors, in the project's form.
int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    const int status = app.exit(error);
    flush_output();
    return status;
  }
  print_error(error.what());
  std::string command = "chainwalk";
  for (const CLI::App* sub : app.get_subcommands()) command += ' ' + sub->get_name();
  fmt::print(stderr, "Run '{} --help' to see what can be said.\n", command);
  return status_malformed;
}

// The parser would only say that a subcommand is missing.
void require_known_command(int argc, char** argv) {
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.front() == '-') return;
  std::string known;
  for (const Command& command : commands()) {
    if (word == command.name) return;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", command.name);
  }
  throw InputError({"", std::nullopt, std::nullopt,
                    fmt::format("'{}' is not a subcommand; these are: {}", word, known)});
}

int run(int argc, char** argv) {
  require_known_command(argc, argv);
  CLI::App app(about, "chainwalk");
  app.set_version_flag("--version", fmt::format("chainwalk {}, specification {}", CHAINWALK_VERSION,
                                                specification_version()));
  app.require_subcommand(1);
  std::vector<std::pair<const CLI::App*, std::function<int()>>> runners;
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    runners.emplace_back(sub, command.set_up(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  }
  int status = status_ok;
  for (const auto& [sub, runner] : runners) {
    if (sub->parsed()) status = runner();
  }
  flush_output();
  return status;
}

}  // namespace
}  // namespace chainwalk::cli

int main(int argc, char** argv) {
  // A reader that is gone is an error of writing, reported like any other.
  std::signal(SIGPIPE, SIG_IGN);
  int status = chainwalk::cli::status_malformed;
  try {
    status = chainwalk::cli::run(argc, argv);
  } catch (const std::bad_alloc&) {
    chainwalk::cli::print_error("there is not enough memory for this problem");
  } catch (const std::exception& error) {
    chainwalk::cli::print_error(error.what());
  }
  return status;
}
