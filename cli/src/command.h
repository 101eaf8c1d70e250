// SPDX-License-Identifier: Apache-2.0
// Subcommands and the table that registers them.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>

namespace chainwalk::cli {

// Exit statuses of every subcommand. malformed: input or usage that cannot be taken, or a file that
// cannot be read or written.
inline constexpr int status_ok = 0;
inline constexpr int status_different = 1;
inline constexpr int status_malformed = 2;

// A subcommand lives in a file of its own. set_up adds options and help to its parser and returns
// what runs it, which gives the exit status. Errors are thrown: InputError, std::system_error,
// std::invalid_argument and std::out_of_range become "chainwalk: error: ..." and status 2.
struct Command {
  const char* name;
  const char* summary;
  std::function<int()> (*set_up)(CLI::App& app);
};

// In the order in which --help lists them. A new subcommand is a file and a line in commands.cpp.
std::span<const Command> commands();

}  // namespace chainwalk::cli
