// SPDX-License-Identifier: Apache-2.0
// Checks of a loaded image and the attributes of its function (PLN-6, LCH-6).
#pragma once

#include <optional>
#include <string>

#include "chainwalk/cuda/launch.h"
#include "runtime.h"

namespace chainwalk::cuda {

// PLN-6's image check; nullopt: the image is the plan's.
std::optional<plan::Refusal> check_image(const plan::Plan& plan, int device);

// What has been set for a function on a device. The runtime's own default of shared memory needs no
// attribute, and setting it is harmless.
struct Attributes {
  std::int64_t shared_bytes = 0;
  bool non_portable = false;
};
// Sets what the plan needs where it is more than what is set, under a lock.
void raise_attributes(const plan::Plan& plan, int device);
Attributes attributes_of(std::size_t kernel, int device);

// "264 blocks of 256 threads, clusters of 4, 41000 bytes of shared memory"
std::string geometry_text(const plan::Plan& plan);

}  // namespace chainwalk::cuda
