// SPDX-License-Identifier: Apache-2.0
// A member of the family as a function that a GPU launches.
#pragma once

#include "table.h"

namespace chainwalk::device {

// Blocks that an SM should be able to hold, which caps registers: whole rows hide the latency of
// random rows by warps in flight. A lane of 32 columns needs 128 registers; one of 16 or fewer 80
// where rows are quantized or of f32, else 64.
constexpr int least_blocks(const KernelTraits& traits) {
  if (traits.form != Form::rows) return 1;
  const bool light = traits.bank == BankType::bf16 && !writes_quantized(traits);
  const int warps_per_sm = traits.columns_per_lane > 16 ? 16 : light ? 32 : 24;
  return warps_per_sm * 32 / most_threads(traits);
}

template <std::size_t index>
__global__ void __launch_bounds__(most_threads(kernel_family[index]),
                                  least_blocks(kernel_family[index]))
    walk_kernel(const __grid_constant__ WalkParameters parameters) {
  run_member<index>(parameters);
}

// The entry of a member; specialized in the file that instantiates it.
template <std::size_t index>
const void* kernel_address();

}  // namespace chainwalk::device

#define CW_CUDA_MEMBER(index)                                  \
  template <>                                                  \
  const void* chainwalk::device::kernel_address<index>() {     \
    return reinterpret_cast<const void*>(&walk_kernel<index>); \
  }
