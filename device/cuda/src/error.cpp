// SPDX-License-Identifier: Apache-2.0
// The error of everything that touches a GPU.
#include "chainwalk/cuda/error.h"

#include <atomic>

namespace chainwalk::cuda {
namespace {

std::atomic<bool> lost{false};

std::string sentence(const CudaError::Place& place, const std::string& message, bool sticky) {
  std::string text = place.call;
  if (!place.kernel.empty()) {
    text += " of kernel " + place.kernel;
  }
  if (!place.geometry.empty()) {
    text += " (" + place.geometry + ")";
  }
  text += ": " + message;
  if (sticky) {
    text += "; the device is lost to this process, which cannot go on with it";
  }
  return text;
}

}  // namespace

CudaError::CudaError(Place place, int code, const std::string& message, bool sticky)
    : std::runtime_error(sentence(place, message, sticky)),
      place_(std::move(place)),
      code_(code),
      sticky_(sticky) {
  if (sticky) {
    lost.store(true);
  }
}

bool process_is_lost() noexcept { return lost.load(); }

}  // namespace chainwalk::cuda
