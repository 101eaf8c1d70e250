// SPDX-License-Identifier: Apache-2.0
// The one error of everything that touches a GPU.
#pragma once

#include <stdexcept>
#include <string>

namespace chainwalk::cuda {

// What failed: the call of the CUDA runtime or driver, the kernel and its geometry where there is
// one (else empty), and CUDA's own name and message. `sticky`: the device is lost to this process;
// no later call can succeed, and the text says so.
class CudaError : public std::runtime_error {
 public:
  struct Place {
    std::string call;
    std::string kernel;
    std::string geometry;
  };
  CudaError(Place place, int code, const std::string& message, bool sticky);

  const Place& place() const noexcept { return place_; }
  int code() const noexcept { return code_; }  // a cudaError_t; 0 where CUDA itself did not fail
  bool sticky() const noexcept { return sticky_; }

 private:
  Place place_;
  int code_;
  bool sticky_;
};

// Whether a sticky error has been thrown in this process: it is thrown once with CUDA's message,
// and every later call fails at once and says that the process cannot go on.
bool process_is_lost() noexcept;

}  // namespace chainwalk::cuda
