// SPDX-License-Identifier: Apache-2.0
// From codes of the CUDA runtime to CudaError; sticky errors are told apart and reported once.
#include "runtime.h"

namespace chainwalk::cuda {

void check(cudaError_t code, const CudaError::Place& place) {
  if (code == cudaSuccess) {
    return;
  }
  const std::string message = std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
  // An error that is still there after it has been cleared belongs to the context, not to the call.
  // The call itself may have failed before there was any context.
  (void)cudaGetLastError();
  const bool sticky = cudaDeviceSynchronize() == code && code != cudaErrorNoDevice &&
                      code != cudaErrorInsufficientDriver && code != cudaErrorMemoryAllocation;
  (void)cudaGetLastError();
  throw CudaError(place, code, message, sticky);
}

void require_process(const char* call) {
  if (process_is_lost()) {
    throw CudaError(
        {call, {}, {}}, 0,
        "not called, because an earlier error was reported after which no call succeeds", true);
  }
}

}  // namespace chainwalk::cuda
