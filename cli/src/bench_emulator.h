// SPDX-License-Identifier: Apache-2.0
// chainwalk bench emulator: its settings and its run.
#pragma once

#include <cstdint>
#include <string>

#include "chainwalk/spec/types.h"

namespace chainwalk::cli {

struct EmulatorBench {
  BankType bank_type = BankType::bf16;
  SnapshotForm snapshot = SnapshotForm::none;
  std::int64_t head_dim = 1024, num_parallel = 2, chunk_size = 64, writes_per_token = 64;
  unsigned threads = 0;  // 0: every available one
  int repetitions = 7;   // pairs of the plain and the checked build
  std::string kernel;    // empty: the planner's choice of each form
  std::string python;    // the interpreter with numba; empty: leave it out
};

// Exit status: 0; 1 where a kernel left other bits or had a finding.
int run_emulator_bench(const EmulatorBench& bench, bool json);

}  // namespace chainwalk::cli
