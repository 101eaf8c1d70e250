// SPDX-License-Identifier: Apache-2.0
// Runs a micro-kernel under a schedule and hands back its output and findings.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "micro/micro_table.h"
#include "src/launch.h"
#include "src/tensor_map.h"

namespace chainwalk::emulator::tests {

struct Micro {
  std::string name;
  int fault = 0;  // 1: planted; `number` may say which
  int number = 0;
  std::int64_t blocks = 2;
  int threads = 64;
  int cluster = 1;
  std::int64_t shared = 8192 + 64;
  bool checked = false;
  bool dependent = false;
  int launches = 1;
  unsigned os_threads = 2;
  Schedule schedule{};
  bool record = false;
  Limits limits{};
};

struct MicroResult {
  std::vector<Finding> findings;
  std::vector<std::uint32_t> out;
  std::vector<std::uint32_t> snapshot;
  std::vector<std::uint32_t> in;
  RecordedChoices choices;

  bool clean() const { return findings.empty(); }
  std::string kind() const { return findings.empty() ? "none" : findings.front().kind; }
  std::string text() const { return findings.empty() ? "" : findings.front().message; }
};

MicroResult run_micro(const Micro& micro);
Schedule random_schedule(std::uint64_t seed);
Schedule pct_schedule(std::uint64_t seed);

}  // namespace chainwalk::emulator::tests
