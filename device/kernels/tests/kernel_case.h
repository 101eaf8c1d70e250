// SPDX-License-Identifier: Apache-2.0
// One trial of a member of the family: a problem that it serves, a plan, a schedule, and a
// comparison of every output byte with the reference.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/emulator/emulator.h"
#include "chainwalk/plan/plan.h"
#include "chainwalk/spec/problem.h"
#include "src/run.h"

namespace chainwalk::device {

// How a trial runs. `entry`: a kernel in the place of the family's own. `rows_before`: rows of the
// bank ahead of the problem's own, in a mapping of which only what is touched exists (BIG-1).
struct Trial {
  emulator::Schedule schedule;
  bool checked = false;
  bool dependent = false;
  emulator::KernelEntry entry = nullptr;
  std::int64_t rows_before = 0;
};

// Schedule `number` of a stream without end: round robin, then random and priority-change ones.
emulator::Schedule numbered_schedule(std::uint64_t number);

struct Outcome {
  bool ran = false;      // false: the plan refused the kernel for this problem; `text` says why
  std::string mismatch;  // empty: every byte is the reference's
  std::vector<emulator::Finding> findings;
  std::string text;
};

// Runs every step of `problem` by member `kernel` on the device class `device` ("h100").
Outcome run_case(const Problem& problem, std::size_t kernel, const Trial& run,
                 const char* device = "h100");

}  // namespace chainwalk::device
