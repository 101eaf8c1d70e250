// SPDX-License-Identifier: Apache-2.0
// Operations of the kernels on bits, one application a thread, so that a chip's own answers can be
// compared with the specification's (NUM, QNT).
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace chainwalk::cuda {

// Operands and results are words; an f32 is its bits, a bf16 or a code the low bits.
enum class Operation {
  narrow,         // bf16 of a
  narrow_pair,    // bf16 of a, bf16 of b in the high half
  widen,          // f32 of the bf16 a
  widen_low,      // f32 of the bf16 in the low half of a
  widen_high,     // f32 of the bf16 in the high half of a
  fma,            // a * b + c as an f32 bank stores it
  multiply,       // a * b
  divide,         // a / b
  reciprocal,     // 1 / a
  max,            // of a and b
  e4m3_pair,      // code of a, code of b in bits 8..15
  nibble,         // of a
  nibble_pair,    // of a in bits 4..7, of b in bits 0..3
  scale_fp8,      // QNT-3 of the amax a
  scale_int4,     // same
  payload_codes,  // QNT-4 of a bf16 row: x the low half of a, its scale the high half; e4m3 in bits
                  // 0..7, nibble in bits 8..11
};

// Device arrays of words. A null `a` counts instead: application i has a = first + i, b = ~a, c =
// 0. Null `b` or `c` with an `a`: zeros.
struct Operands {
  const std::uint32_t* a = nullptr;
  const std::uint32_t* b = nullptr;
  const std::uint32_t* c = nullptr;
  std::uint32_t first = 0;
};

// Writes `count` results on the legacy default stream.
cudaError_t launch_operation(Operation operation, const Operands& operands, std::uint32_t* results,
                             std::uint64_t count);

}  // namespace chainwalk::cuda
