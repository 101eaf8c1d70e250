// SPDX-License-Identifier: Apache-2.0
// One copy into shared memory by the async proxy, as the kernels make it, with everything that it
// left there and what it credited to its barrier (SRC-2, LCH-5; async image only).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "parameters.h"

namespace chainwalk::cuda {

inline constexpr std::uint32_t copy_guard_bytes = 1024;  // of shared memory before and after a copy
inline constexpr std::uint8_t copy_guard_value = 0xA5;   // also what the copy's place held before

// A tensor copy where `tensor`: the box of `map` at (column, row), `bytes` in all. Else a bulk copy
// of `bytes` from `source`. `source` has at least 16 bytes and is 16-byte aligned; bytes are a
// multiple of 16.
struct CopyProblem {
  device::TensorMap map;
  const void* source;
  std::uint32_t bytes;
  std::int32_t column, row;
  bool tensor;
};

// The barrier of the copy awaits 16 bytes more than the copy's own, which a second, bulk copy
// brings: `early`, the phase completed without them (the copy credited more than its bytes);
// `complete`, it completed with them (it credited no less).
struct CopyVerdict {
  bool early;
  bool complete;
};

// Runs one block. `window` receives guard, place of the copy, guard: bytes + 2 * copy_guard_bytes.
cudaError_t launch_copy(const CopyProblem& problem, std::uint8_t* window, CopyVerdict* verdict);

}  // namespace chainwalk::cuda
