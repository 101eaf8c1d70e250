// SPDX-License-Identifier: Apache-2.0
// Which suite: profile, seed, and how they are written on a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "chainwalk/conformance/suite.h"

namespace chainwalk::cli {

struct SuiteChoice {
  std::string profile = "quick";
  std::uint64_t seed = 1;
  std::uint64_t max_memory_mib = 0;  // 0: no limit

  void add_to(CLI::App& app);
  conformance::Profile parsed_profile() const;
  // Every case of the profile; those that need more memory than allowed are left out and counted.
  std::vector<conformance::Case> cases() const;
  std::vector<std::string> arguments() const;
};

// "2/8": shard 2 of 8, counted from 0. InputError otherwise.
struct Shard {
  std::int64_t index = 0, count = 1;
};
Shard parse_shard(const std::string& text);

}  // namespace chainwalk::cli
