// SPDX-License-Identifier: Apache-2.0
// Examines one implementation: runs a case on it, compares every bit with a model, and names what
// is wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "chainwalk/conformance/harness.h"
#include "chainwalk/fuzz/campaign.h"
#include "chainwalk/fuzz/finding.h"

namespace chainwalk::fuzz {

// Runs every step of a problem that has passed validate(), flags that are not well-formed excepted.
using Model = std::function<void(const Problem& problem, const Outputs& outputs)>;

// Host memory that is used again from case to case; guard zones on either side are written and
// looked at each time. For implementations of host memory only.
std::shared_ptr<conformance::MemoryKind> pooled_memory();

// Not thread-safe. A session stays open from case to case, unless a case brings options of its own.
class Examiner {
 public:
  Examiner(conformance::Implementation implementation, Model model);
  ~Examiner();
  Examiner(const Examiner&) = delete;
  Examiner& operator=(const Examiner&) = delete;

  // Never throws for a wrong answer. Wrong bits are diagnosed by single wrong rules, which name the
  // key; where none fits, the tensor that differs first does. The result depends on the case and
  // the implementation alone.
  Judgement examine(const FuzzCase& fuzz_case);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace chainwalk::fuzz
