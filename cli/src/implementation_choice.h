// SPDX-License-Identifier: Apache-2.0
// --on: which implementation, with which options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/conformance/harness.h"

namespace chainwalk::cli {

struct ImplementationChoice {
  std::string on = "reference";
  std::optional<std::uint32_t> threads;
  std::string isa;
  std::string kernel, schedule;
  bool checked = false;

  // Adds --on, --threads, --isa, --kernel, --schedule and --checked. `this` must outlive the
  // parser.
  void add_to(CLI::App& app);

  // A built-in name or the path of a shared object, each with ":key=value,..." behind it where it
  // takes options. Throws InputError.
  conformance::Implementation open() const;

  // Whether --on names a shared object, which this project has not written.
  bool is_shared_object() const;

  // One word that names the choice: "reference:threads=2".
  std::string label() const;
  // The same choice as arguments of another chainwalk process.
  std::vector<std::string> arguments() const;
  // The options that select the same again: "--on reference --threads 2".
  std::string command_line() const;

 private:
  // What the other options add to those of --on, as key=value.
  std::vector<std::string> added_options() const;
};

// Throws InputError: the implementation that was asked for cannot be tested.
[[noreturn]] void refuse_implementation(const std::string& what);

}  // namespace chainwalk::cli
