// SPDX-License-Identifier: Apache-2.0
// Speed of the reference on the machine at hand: time and bytes of a step, share of a memory floor,
// ratios to the oracle and to NumPy, and memory beyond the problem, all measured in one run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/types.h"

namespace chainwalk::reference {

// A step writes num_parallel * chunk_size * writes_per_token distinct random rows, one member a
// group. There are as many steps as cover every slot once, so rows are not warm from the step
// before.
struct BenchSettings {
  BankType bank_type = BankType::bf16;
  SnapshotForm snapshot = SnapshotForm::none;
  std::int64_t head_dim = 256;            // 1..2^20
  std::int64_t num_parallel = 2;          // >= 1
  std::int64_t chunk_size = 64;           // 1..256
  std::int64_t writes_per_token = 64;     // >= 1
  std::int64_t slots_per_stream = 65536;  // >= chunk_size * writes_per_token
  unsigned threads = 0;                   // 0: every available one
  InstructionSet instruction_set = InstructionSet::best;
  int repetitions = 21;            // pairs of walk and floor, >= 1
  bool oracle = true;              // one step of the oracle
  std::string python = "python3";  // the interpreter for the NumPy version; empty: leave it out
};

struct BenchResult {
  BenchSettings settings;         // `threads` resolved
  std::int64_t steps;             // of the problem; one repetition runs them all
  std::int64_t bytes_per_step;    // rows read and written, token rows and records read, snapshot
  double seconds_per_step;        // median over repetitions
  double floor_seconds_per_step;  // median over repetitions
  // The floor reads and rewrites the same bank rows and reads the same token rows, on as many
  // threads, with no arithmetic, at the prefetch distance (in rows) that is best of those tried.
  std::int64_t floor_prefetch_rows;
  bool floor_pages_first;  // the pages of 8 rows looked up together before, where that was faster
  // Floor time over walk time: the median of the pairs, and the middle half of them.
  double share_of_floor;
  double share_of_floor_low;
  double share_of_floor_high;
  std::optional<double> oracle_seconds_per_step;  // on one thread
  std::optional<double> numpy_seconds_per_step;   // the same sizes; products and sums rounded apart
  std::string numpy_absent;                       // why there is no figure, else empty
  std::int64_t problem_bytes;
  // Peak resident memory while the walk ran first, threads being started, less what was resident
  // before. Absent where the system does not tell.
  std::optional<std::int64_t> extra_bytes;
};

// Runs the benchmark. `progress` (may be empty) is called with a phase's name as it starts. Throws
// std::invalid_argument that names a setting out of its range, std::bad_alloc.
BenchResult run_bench(const BenchSettings& settings,
                      const std::function<void(const std::string& phase)>& progress = {});

// One JSON object; absent figures are null.
std::string to_json(const BenchResult& result);

// The figures as lines of text for people.
std::string to_text(const BenchResult& result);

}  // namespace chainwalk::reference
