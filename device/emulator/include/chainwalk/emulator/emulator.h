// SPDX-License-Identifier: Apache-2.0
// Runs kernels of the family on a CPU, under schedules that reorder, delay and poison whatever the
// hardware may, and reports what went wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chainwalk/plan/plan.h"

namespace chainwalk::emulator {

enum class ScheduleKind : std::uint8_t { round_robin, random, priority_change, replay };

// Everything that the emulator may choose, as a function of one seed; to_string() gives the text
// that replays it.
struct Schedule {
  ScheduleKind kind = ScheduleKind::round_robin;
  std::uint64_t seed = 0;
  int change_points = 3;  // priority_change
  std::string choices;    // replay: the recorded choices
};
std::string to_string(const Schedule& schedule);
Schedule parse_schedule(const std::string& text);  // std::invalid_argument names the bad part

struct Options {
  Schedule schedule;
  bool checked = false;    // watch every access (the checked build of the kernels)
  unsigned threads = 0;    // clusters run side by side; 0: every available one
  bool dependent = false;  // launch steps programmatically (LCH-2), async image only
  std::size_t max_findings = 16;
  Schedule* record = nullptr;  // if given, receives a replay schedule of the choices made
};

// What went wrong, where, and who was involved.
struct Finding {
  std::string kind;  // stable: "shared-race", "missing-proxy-fence", "deadlock", ...
  std::string kernel;
  std::int64_t step = 0;
  int block = 0, warp = 0, lane = 0;
  std::string source;       // file:line, where the checked build knows it
  std::string address;      // buffer+offset
  std::string other_party;  // the second access or waiter
  std::string schedule;     // replays it
  std::string message;      // a whole sentence with all of the above
};

// A buffer the kernels may touch. Accesses outside registered buffers and shared memory are
// findings.
struct Buffer {
  std::string name;
  void* data;
  std::size_t bytes;
  bool writable;
};

// Runs steps [begin, end) of a plan in order. Returns findings; none means that every access was
// legal under this schedule. Throws only for misuse (std::invalid_argument) or want of memory.
std::vector<Finding> run_steps(const plan::Plan& plan, const plan::DeviceClass& device,
                               std::span<const Buffer> buffers, std::int64_t begin,
                               std::int64_t end, const Options& options);

}  // namespace chainwalk::emulator
