// SPDX-License-Identifier: Apache-2.0
// Bulk and tensor copies from global to shared memory by the async proxy (async image only).
#pragma once

#include "parameters.h"
#include "primitives/mbarrier.h"

CW_NAMESPACE_BEGIN

// Orders ordinary accesses to shared memory before later ones by the async proxy.
CW_DEVICE void fence_proxy_async() { emulator::fence_proxy_async(); }

// Addresses and size are multiples of 16; completes `bytes` on the barrier.
CW_DEVICE void bulk_copy(void* shared, const void* global, std::uint32_t bytes, Barrier* barrier) {
  emulator::bulk_copy(shared, global, bytes, barrier);
}

// One box of a 2-D map at (column, row); shared is 128-byte aligned; elements out of bounds are
// zero and the box credits its full bytes.
CW_DEVICE void tensor_copy_2d(void* shared, const TensorMap* map, int column, int row,
                              Barrier* barrier) {
  emulator::tensor_copy_2d(shared, map, column, row, barrier);
}
CW_DEVICE void prefetch_tensor_map(const TensorMap* map) { emulator::prefetch_tensor_map(map); }

CW_NAMESPACE_END
