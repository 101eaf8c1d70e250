// SPDX-License-Identifier: Apache-2.0
// Transaction barriers in shared memory (async image only): 8 bytes, aligned.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

using Barrier = std::uint64_t;

CW_DEVICE std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}
CW_DEVICE void barrier_init(Barrier* barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
}
// Makes initialized barriers visible to the async proxy (and to the cluster).
CW_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
CW_DEVICE void barrier_invalidate(Barrier* barrier) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// One arrival that also expects `bytes` of asynchronous copies.
CW_DEVICE void barrier_arrive_expect(Barrier* barrier, std::uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
CW_DEVICE void barrier_arrive(Barrier* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
}
// Whether the phase of `parity` has completed; may fail spuriously.
CW_DEVICE bool barrier_try_wait(Barrier* barrier, int parity) {
  std::uint32_t done;
  asm volatile(
      "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; "
      "}"
      : "=r"(done)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return done != 0;
}
CW_DEVICE void barrier_wait(Barrier* barrier, int parity) {
  while (!barrier_try_wait(barrier, parity)) {
  }
}

CW_NAMESPACE_END
