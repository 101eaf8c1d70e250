// SPDX-License-Identifier: Apache-2.0
// 16-byte asynchronous copies from global to shared memory (cp.async): groups are per thread, and
// only the issuing thread sees the data after its wait.
#pragma once

#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Copies `source_bytes` (0..16) of 16; the rest becomes zero. Both addresses 16-byte aligned.
CW_DEVICE void async_copy_16(void* shared, const void* global, int source_bytes = 16) {
  const auto target = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(global),
               "r"(source_bytes)
               : "memory");
}
CW_DEVICE void async_copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most `pending` of the thread's newest groups are unfinished.
template <int pending>
CW_DEVICE void async_copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

CW_NAMESPACE_END
