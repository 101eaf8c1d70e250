// SPDX-License-Identifier: Apache-2.0
// Buffers of a micro-kernel's launch: 4096 words in, 4096 out, 1024 of snapshot; a 40 x 6 tensor
// over the words that are read.
#include "bench.h"

#include <numeric>

namespace chainwalk::emulator::tests {

MicroResult run_micro(const Micro& micro) {
  MicroResult result;
  alignas(16) static thread_local std::uint32_t storage[3][8192];  // the second halves: no buffer
  std::iota(storage[0], storage[0] + 4096, 1000U);
  std::iota(storage[1], storage[1] + 4096, 1U);
  std::fill(storage[2], storage[2] + 4096, 0U);

  device::WalkParameters parameters{};
  parameters.delta_v = reinterpret_cast<const float*>(storage[0]);
  parameters.bank = storage[1];
  parameters.snapshot = storage[2];
  parameters.positions = 4096;
  parameters.reserved[0] = micro.fault;
  parameters.reserved[1] = micro.number;
  parameters.token_map = encode_tensor_map({.base = reinterpret_cast<unsigned char*>(storage[0]),
                                            .columns = 38,
                                            .rows = 6,
                                            .row_stride = 160,
                                            .box_columns = 32,
                                            .box_rows = micro.number > 0 ? micro.number : 1,
                                            .element_bytes = 4});
  const std::vector<Buffer> buffers{{"delta_v", storage[0], 4096 * 4, false},
                                    {"bank", storage[1], 4096 * 4, true},
                                    {"snapshot", storage[2], 4096 * 4, true}};
  RecordedChoices replayed;
  if (micro.schedule.kind == ScheduleKind::replay) {
    replayed = parse_choices(micro.schedule.choices);
  }
  Sequence sequence;
  sequence.threads = micro.os_threads;
  for (int step = 0; step < micro.launches; ++step) {
    Launch launch;
    launch.kernel = micro.name;
    launch.entry = micro.checked ? checked_micro(micro.name) : plain_micro(micro.name);
    launch.parameters = &parameters;
    launch.step = step;
    launch.grid_blocks = micro.blocks;
    launch.block_threads = micro.threads;
    launch.cluster_blocks = micro.cluster;
    launch.shared_bytes = micro.shared;
    launch.limits = micro.limits;
    launch.buffers = buffers;
    launch.schedule = micro.schedule;
    launch.dependent = micro.dependent;
    launch.record = micro.record;
    launch.checked = micro.checked;
    launch.replayed = &replayed;
    sequence.launches.push_back(launch);
  }
  SequenceResult run = run_sequence(sequence);
  result.findings = std::move(run.findings);
  result.choices = std::move(run.choices);
  result.in.assign(storage[0], storage[0] + 4096);
  result.out.assign(storage[1], storage[1] + 4096);
  result.snapshot.assign(storage[2], storage[2] + 4096);
  return result;
}

Schedule random_schedule(std::uint64_t seed) {
  return {.kind = ScheduleKind::random, .seed = seed, .choices = {}};
}
Schedule pct_schedule(std::uint64_t seed) {
  return {.kind = ScheduleKind::priority_change, .seed = seed, .choices = {}};
}

}  // namespace chainwalk::emulator::tests
