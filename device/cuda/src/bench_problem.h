// SPDX-License-Identifier: Apache-2.0
// A measured problem on the device, and the little one that its first step is checked by.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chainwalk/cuda/bench.h"
#include "chainwalk/cuda/memory.h"
#include "chainwalk/plan/tiling.h"

namespace chainwalk::cuda {

// Records of every chunk, sorted by slot and token, in groups of one slot each; `slots` are
// absolute.
std::vector<Record> bench_records(const BenchCase& problem, std::int64_t chunks);

class BenchProblem {
 public:
  // Throws std::bad_alloc where the device has too little memory.
  BenchProblem(const BenchCase& problem, const BenchSettings& settings, const plan::Tiling& tiling);

  const plan::Request& request() const { return request_; }
  // Slots of the valid groups of a step, on the device and their number.
  const std::int32_t* slots(std::int64_t step) const;
  std::int64_t groups(std::int64_t step) const;
  double bytes(std::int64_t step) const;
  const ProblemShape& shape() const { return shape_; }

  // The bank as it was before any step.
  void reset();
  // What the first step left wrong, after it ran on a bank that was reset; nullopt: nothing.
  std::optional<std::string> check_first_step(const BenchSettings& settings) const;

 private:
  void upload_inputs(const BenchSettings& settings);
  void describe(const BenchSettings& settings);

  ProblemShape shape_;
  int device_;
  std::vector<Record> records_;
  std::vector<float> first_tokens_;  // token rows of step 0
  std::vector<std::int32_t> bounds_, prefix_;
  std::vector<std::int64_t> group_begin_;  // of each step, into the slots
  std::vector<DeviceBuffer> buffers_;
  plan::Request request_;
};

}  // namespace chainwalk::cuda
