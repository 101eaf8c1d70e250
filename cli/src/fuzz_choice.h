// SPDX-License-Identifier: Apache-2.0
// Which campaign, on what and against what, and how they are written on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/fuzz/examine.h"
#include "chainwalk/fuzz/ledger.h"
#include "chainwalk/fuzz/pool.h"
#include "implementation_choice.h"

namespace chainwalk::cli {

struct FuzzChoice {
  ImplementationChoice choice;
  std::string against;  // "reference", "oracle"; empty: the reference, or the oracle for itself
  std::string campaign;
  std::uint64_t seed = 1;

  // Adds --on and its like, --against, --campaign and --seed. `this` must outlive the parser.
  void add_to(CLI::App& app);
  // Fills in what was left out: one thread a worker, the model, the campaign. InputError for names
  // that are not known, with a list of those that are.
  void settle();

  fuzz::LedgerHeader header() const;
  fuzz::Model model() const;
  // argv of a worker.
  std::vector<std::string> worker_command() const;
  // Workers of it that keep their files in `folder`; the rest as PoolSettings has it.
  fuzz::PoolSettings pool_settings(const std::filesystem::path& folder) const;
};

// The model of a name; InputError for another.
fuzz::Model model_of(const std::string& name);

}  // namespace chainwalk::cli
