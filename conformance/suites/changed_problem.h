// SPDX-License-Identifier: Apache-2.0
// A problem with some of its inputs changed, which owns the changed copies.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

struct ChangedInputs {
  std::shared_ptr<const void> origin;
  std::vector<std::byte> bank;
  std::vector<float> delta_v;
  std::vector<Record> records;
};

inline Problem change(const Problem& problem, const std::function<void(ChangedInputs&)>& edit) {
  auto changed = std::make_shared<ChangedInputs>();
  changed->origin = problem.storage;
  changed->bank.assign(problem.bank_before.begin(), problem.bank_before.end());
  changed->delta_v.assign(problem.delta_v.begin(), problem.delta_v.end());
  changed->records.assign(problem.records.begin(), problem.records.end());
  edit(*changed);
  Problem result = problem;
  result.bank_before = changed->bank;
  result.delta_v = changed->delta_v;
  result.records = changed->records;
  result.storage = std::move(changed);
  return result;
}

}  // namespace chainwalk::conformance
