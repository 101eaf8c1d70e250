// SPDX-License-Identifier: Apache-2.0
// Calls of the CUDA runtime whose failures become CudaError.
#pragma once

#include <cuda_runtime_api.h>

#include "chainwalk/cuda/error.h"

namespace chainwalk::cuda {

// Throws when `code` is not cudaSuccess. Clears CUDA's last error, unless the device is lost.
void check(cudaError_t code, const CudaError::Place& place);
inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) {
    check(code, CudaError::Place{call, {}, {}});
  }
}

// Throws when a sticky error was reported before: no call can succeed any more.
void require_process(const char* call);

}  // namespace chainwalk::cuda
