// SPDX-License-Identifier: Apache-2.0
// The benchmark's problem: distinct random rows, every slot written once in all steps.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "chainwalk/reference/bench.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// Owns the tensors. problem().bank_before is the bank itself, which the walk does not read: one
// copy is enough for speed.
class BenchProblem {
 public:
  explicit BenchProblem(const BenchSettings& settings);
  BenchProblem(const BenchProblem&) = delete;
  BenchProblem& operator=(const BenchProblem&) = delete;

  const Problem& problem() const { return problem_; }
  const Outputs& outputs() const { return outputs_; }
  std::int64_t bytes() const;
  std::int64_t bytes_per_step() const;

 private:
  void fill_records(std::int64_t stream, const BenchSettings& settings);

  Eigen::Array<std::uint8_t, Eigen::Dynamic, 1> bank_, snapshot_, payload_;
  Eigen::Array<float, Eigen::Dynamic, 1> scale_;
  Eigen::Array<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> delta_v_;
  std::vector<Record> records_;
  Problem problem_;
  Outputs outputs_;
};

}  // namespace chainwalk::reference
