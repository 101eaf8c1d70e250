// SPDX-License-Identifier: Apache-2.0
// One launch of a kernel: grid, shared memory, what it may touch, and the schedule it runs under.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chainwalk/emulator/emulator.h"
#include "parameters.h"
#include "src/choice.h"

namespace chainwalk::emulator {

using KernelEntry = void (*)(const device::WalkParameters& parameters);

// Limits of the device class that a launch is held to.
struct Limits {
  std::int64_t shared_cap = 232448;
  int max_cluster = 16;
  bool async_image = true;  // bulk copies, transaction barriers, clusters, dependent launch
};

class GlobalWatch;

struct Launch {
  std::string kernel;
  std::string device;  // of the replay line, where it is not the usual one
  KernelEntry entry = nullptr;
  const device::WalkParameters* parameters = nullptr;
  std::int64_t step = 0;
  std::int64_t grid_blocks = 1;
  std::int32_t block_threads = 32;
  std::int32_t cluster_blocks = 1;
  std::int64_t shared_bytes = 0;
  Limits limits;
  std::span<const Buffer> buffers;  // what global memory the kernel may touch
  Schedule schedule;
  bool dependent = false;  // launched programmatically: the wait means something
  bool record = false;     // keep the choices
  const RecordedChoices* replayed = nullptr;
  bool checked = false;                // `entry` is of the checked build: watch every access
  GlobalWatch* watch = nullptr;        // of a checked launch; run_sequence() makes it
  std::uint32_t number = 0;            // in the sequence, from 1; run_sequence() counts
  const Buffer* unfinished = nullptr;  // written by a launch that a dependent must wait for
};

// Throws std::invalid_argument where the limits refuse the launch, naming the value and the limit.
void check_launch(const Launch& launch);

// A sequence of launches on one stream. With `dependent` launches, a seeded, bounded set of a
// launch's clusters runs to its wait before the launch ahead of it starts, where `early` allows it.
struct Sequence {
  std::vector<Launch> launches;
  unsigned threads = 0;
  std::size_t max_findings = 16;
  bool early = true;
};
struct SequenceResult {
  std::vector<Finding> findings;  // in order of launch, then cluster
  RecordedChoices choices;        // where launches record
};
// Stops after the first launch with findings. Throws std::invalid_argument for a launch that the
// limits refuse (grid, block, cluster or shared memory), before anything runs.
// Checked launches of one sequence name the same buffers.
SequenceResult run_sequence(Sequence sequence);

}  // namespace chainwalk::emulator
