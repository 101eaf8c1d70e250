// SPDX-License-Identifier: Apache-2.0
// Transaction barriers in shared memory (async image only): 8 bytes, aligned.
#pragma once

#include "machine/operations.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

using Barrier = std::uint64_t;

CW_DEVICE std::uint32_t shared_address(const void* pointer) {
  return emulator::shared_address(pointer);
}
CW_DEVICE void barrier_init(Barrier* barrier, int arrivals) {
  emulator::barrier_init(barrier, arrivals);
}
// Makes initialized barriers visible to the async proxy (and to the cluster).
CW_DEVICE void barrier_init_fence() { emulator::barrier_init_fence(); }
CW_DEVICE void barrier_invalidate(Barrier* barrier) { emulator::barrier_invalidate(barrier); }
// One arrival that also expects `bytes` of asynchronous copies.
CW_DEVICE void barrier_arrive_expect(Barrier* barrier, std::uint32_t bytes) {
  emulator::barrier_arrive_expect(barrier, bytes);
}
CW_DEVICE void barrier_arrive(Barrier* barrier) { emulator::barrier_arrive(barrier); }
// Whether the phase of `parity` has completed; may fail spuriously.
CW_DEVICE bool barrier_try_wait(Barrier* barrier, int parity) {
  return emulator::barrier_try_wait(barrier, parity);
}
CW_DEVICE void barrier_wait(Barrier* barrier, int parity) {
  while (!barrier_try_wait(barrier, parity)) {
  }
}

CW_NAMESPACE_END
