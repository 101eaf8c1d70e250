// SPDX-License-Identifier: Apache-2.0
// Bulk and tensor copies from global to shared memory by the async proxy (async image only).
#pragma once

#include "parameters.h"
#include "primitives/mbarrier.h"

CW_NAMESPACE_BEGIN

// Orders ordinary accesses to shared memory before later ones by the async proxy.
CW_DEVICE void fence_proxy_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// Addresses and size are multiples of 16; completes `bytes` on the barrier.
CW_DEVICE void bulk_copy(void* shared, const void* global, std::uint32_t bytes, Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(shared)),
      "l"(global), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

// One box of a 2-D map at (column, row); shared is 128-byte aligned; elements out of bounds are
// zero and the box credits its full bytes.
CW_DEVICE void tensor_copy_2d(void* shared, const TensorMap* map, int column, int row,
                              Barrier* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, "
      "{%2, %3}], [%4];" ::"r"(shared_address(shared)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}
CW_DEVICE void prefetch_tensor_map(const TensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

CW_NAMESPACE_END
