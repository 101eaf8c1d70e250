// SPDX-License-Identifier: Apache-2.0
// 16-byte asynchronous copies from global to shared memory (cp.async): groups are per thread, and
// only the issuing thread sees the data after its wait.
#pragma once

#include "machine/operations.h"
#include "primitives/function.h"

CW_NAMESPACE_BEGIN

// Copies `source_bytes` (0..16) of 16; the rest becomes zero. Both addresses 16-byte aligned.
CW_DEVICE void async_copy_16(void* shared, const void* global, int source_bytes = 16) {
  emulator::async_copy_16(shared, global, source_bytes);
}
CW_DEVICE void async_copy_commit() { emulator::async_copy_commit(); }
// Waits until at most `pending` of the thread's newest groups are unfinished.
template <int pending>
CW_DEVICE void async_copy_wait() {
  emulator::async_copy_wait(pending);
}

CW_NAMESPACE_END
