// SPDX-License-Identifier: Apache-2.0
// What the emulator is measured by: a switch between two fibers, and one kernel that numba's CUDA
// simulator can run too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/spec/record.h"

namespace chainwalk::emulator {

// Seconds of one switch between two fibers of this thread, over about a million.
double seconds_per_switch();

// Sizes of the common walk: one chunk of an f32 bank without snapshot rows, a block a tile and four
// columns a thread. `positions` is a multiple of 3 * blocks, `head_dim` of 128 and at most 4096,
// `tokens` at most 256; all positive.
struct CommonWalk {
  std::int64_t blocks = 2;
  std::int64_t positions = 384;
  std::int64_t head_dim = 256;
  std::int64_t tokens = 16;
  // One lane's fused multiply-add of a record on one column.
  std::int64_t lane_operations() const { return positions * head_dim; }
};

// Its tensors. Products and sums of the walk are exact in f32, so that rounding apart changes no
// bit.
struct CommonProblem {
  std::vector<float> bank;           // [positions, head_dim]
  std::vector<float> delta_v;        // [tokens, head_dim]
  std::vector<Record> records;       // [positions]
  std::vector<std::int32_t> bounds;  // [blocks + 1]
};
CommonProblem make_common_problem(const CommonWalk& walk);

struct CommonRun {
  double seconds = 0;       // of a launch, the median
  double cpu_seconds = 0;   // of all processors together, the median
  std::vector<float> bank;  // after the first launch
};
// Throws std::runtime_error with a finding's message, should there be one.
CommonRun run_common_walk(const CommonWalk& walk, unsigned threads);

// The same kernel by numba's simulator in the interpreter `python`, in a process of its own; or why
// not, in a clause.
struct SimulatorRun {
  std::optional<CommonRun> run;
  std::string absent;
};
SimulatorRun run_common_walk_by_numba(const CommonWalk& walk, const std::string& python);

}  // namespace chainwalk::emulator
