// SPDX-License-Identifier: Apache-2.0
// Speed of the walk on a GPU: microseconds a step from graph replay, beside a floor and a device
// copy measured in the same run. Bits are checked before anything is timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chainwalk/plan/plan.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::cuda {

// P streams of slots_per_stream slots; a token writes writes_per_token distinct random slots, half
// of them from hot_slots where that is not 0.
struct BenchCase {
  std::string name;
  BankType bank_type = BankType::bf16;
  SnapshotForm form = SnapshotForm::none;
  std::int64_t head_dim = 1024;
  std::int64_t num_parallel = 2;
  std::int64_t chunk_size = 64;
  std::int64_t writes_per_token = 64;
  std::int64_t slots_per_stream = 65536;
  std::int64_t hot_slots = 0;
};

std::vector<BenchCase> published_cases();  // the published table's problems and forms
std::vector<BenchCase>
scaling_cases();  // P 1 to 64, hd 64 to 4096, groups of 1 to 64 members, hot keys

struct BenchRow {
  BenchCase problem;
  std::string kernel;
  std::string why;
  std::string error;  // not empty: nothing was measured, and why
  std::int64_t warps_per_block = 0;
  std::int64_t blocks_per_chunk = 0;
  double us_per_step = 0;
  double dependent_us_per_step = 0;  // the same by dependent launches (LCH-2); 0: the plan has none
  double bytes_per_step =
      0;                // each touched row once read and once written, records, token rows, rows
  double floor_us = 0;  // the same rows read and rewritten, and as many snapshot bytes written
  double copy_bytes_per_us = 0;  // of a device copy, reads and writes counted

  double gb_per_s() const { return us_per_step > 0 ? bytes_per_step / us_per_step / 1e3 : 0; }
  double share_of_floor() const { return us_per_step > 0 ? floor_us / us_per_step : 0; }
  double share_of_copy() const {
    return copy_bytes_per_us > 0 ? bytes_per_step / us_per_step / copy_bytes_per_us : 0;
  }
};

struct BenchSettings {
  int device = 0;
  std::int64_t steps = 8;  // of a graph; each touches rows of its own
  int repetitions = 20;    // replays; the median counts
  plan::GeometryWish wish;
  std::int64_t tile_positions = 0;  // of every tile, rounded up; 0: the planner's choice
  // Runs one step as it must be, in place on the outputs.
  std::function<void(const Problem& problem, std::int64_t step, const Outputs& outputs)> reference;
};

// One row. A case that is refused, does not fit the memory or leaves other bits has an error.
// Throws CudaError where the device fails.
BenchRow run_case(const BenchCase& problem, const BenchSettings& settings);

}  // namespace chainwalk::cuda
