// SPDX-License-Identifier: Apache-2.0
// Micro-kernels: one rule of the machine each, right as they stand and wrong where the launch asks
// for the fault. A launch's parameters carry plain arguments: bank and delta_v are buffers of
// 32-bit words to write and to read, reserved[0] the fault, reserved[1] a number.
#pragma once

#include "primitives/arithmetic.h"
#include "primitives/async_copy.h"
#include "primitives/block.h"
#include "primitives/bulk_copy.h"
#include "primitives/cluster.h"
#include "primitives/dependent_launch.h"
#include "primitives/memory.h"
#include "primitives/thread.h"
#include "primitives/warp.h"

CW_NAMESPACE_BEGIN

CW_DEVICE bool faulty(const WalkParameters& p) { return p.reserved[0] != 0; }
CW_DEVICE std::int32_t number(const WalkParameters& p) { return p.reserved[1]; }
CW_DEVICE std::uint32_t* words_out(const WalkParameters& p) {
  return static_cast<std::uint32_t*>(p.bank);
}
CW_DEVICE const std::uint32_t* words_in(const WalkParameters& p) {
  return reinterpret_cast<const std::uint32_t*>(p.delta_v);
}
CW_DEVICE std::uint32_t* shared_words() {
  return reinterpret_cast<std::uint32_t*>(shared_memory());
}
CW_DEVICE std::int64_t global_thread() { return block_index() * block_threads() + thread_index(); }

CW_NAMESPACE_END
