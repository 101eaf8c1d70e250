// SPDX-License-Identifier: Apache-2.0
// A problem with its own copies of all tensors, to be changed.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::properties {

class ChangedProblem {
 public:
  explicit ChangedProblem(const Problem& origin)
      : shape(origin.shape),
        bank((origin.bank_before.size() + 15) / 16),
        delta_v(origin.delta_v.begin(), origin.delta_v.end()),
        records(origin.records.begin(), origin.records.end()),
        tile_bounds(origin.tile_bounds.begin(), origin.tile_bounds.end()),
        group_prefix(origin.group_prefix.begin(), origin.group_prefix.end()),
        bank_bytes_(origin.bank_before.size()) {
    if (!origin.bank_before.empty()) {
      std::memcpy(bank.data(), origin.bank_before.data(), origin.bank_before.size());
    }
  }
  // Views of the copies; this object keeps them alive.
  Problem view() const {
    Problem problem;
    problem.shape = shape;
    problem.bank_before = std::as_bytes(std::span(bank)).first(bank_bytes_);
    problem.delta_v = delta_v;
    problem.records = records;
    problem.tile_bounds = tile_bounds;
    problem.group_prefix = group_prefix;
    return problem;
  }

  std::span<std::byte> bank_span() {
    return std::as_writable_bytes(std::span(bank)).first(bank_bytes_);
  }

  struct alignas(16) Block {
    std::byte bytes[16];
  };

  ProblemShape shape;
  std::vector<Block> bank;
  std::vector<float> delta_v;
  std::vector<Record> records;
  std::vector<std::int32_t> tile_bounds;
  std::vector<std::int32_t> group_prefix;

 private:
  std::size_t bank_bytes_;
};

}  // namespace chainwalk::properties
