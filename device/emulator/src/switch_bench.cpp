// SPDX-License-Identifier: Apache-2.0
// What a switch between two fibers takes.
#include <chrono>

#include "chainwalk/emulator/bench.h"
#include "src/fiber.h"

namespace chainwalk::emulator {
namespace {

constexpr int round_trips = 1 << 19;

// What the two fibers of one measurement share; found through the lane, which has a place for it.
struct Pair {
  HostContext host;
  Lane* lanes[2] = {};
};

Pair& pair_of(Lane& lane) { return *reinterpret_cast<Pair*>(lane.shared); }

void first_fiber(Lane& lane) {
  Pair& pair = pair_of(lane);
  fiber_entered(&pair.host);
  for (int trip = 0; trip < round_trips; ++trip) switch_lanes(lane, *pair.lanes[1]);
  leave_fiber(lane, pair.host, true);
}
void second_fiber(Lane& lane) {
  fiber_entered(nullptr);
  for (;;) switch_lanes(lane, *pair_of(lane).lanes[0]);
}

}  // namespace

double seconds_per_switch() {
  Stacks stacks;
  stacks.reserve(2);
  Pair pair;
  for (const std::size_t index : {0U, 1U}) {
    pair.lanes[index] = stacks.lane(index);
    pair.lanes[index]->shared = reinterpret_cast<unsigned char*>(&pair);
    prepare_fiber(*pair.lanes[index], index == 0 ? &first_fiber : &second_fiber);
  }
  const auto start = std::chrono::steady_clock::now();
  enter_fiber(pair.host, *pair.lanes[0]);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / (2.0 * round_trips);
}

}  // namespace chainwalk::emulator
