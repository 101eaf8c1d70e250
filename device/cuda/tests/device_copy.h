// SPDX-License-Identifier: Apache-2.0
// A copy of host values on device 0.
#pragma once

#include <span>

#include "chainwalk/cuda/memory.h"

namespace chainwalk::cuda {

template <typename Values>
DeviceBuffer copy_of(const Values& values) {
  DeviceBuffer buffer(0, std::span(values).size_bytes());
  buffer.upload(0, std::as_bytes(std::span(values)));
  return buffer;
}

}  // namespace chainwalk::cuda
