// SPDX-License-Identifier: Apache-2.0
// The choice of a member of the family for a request (GEO-4, GEO-5, GEO-8).
#pragma once

#include <variant>

#include "checks.h"
#include "launch.h"

namespace chainwalk::plan {

struct Choice {
  std::size_t kernel;  // index into the family
  LaunchGeometry launch;
  std::string why;
};

// What PLN-6 says of a launch on a device, but for the grid, the image and the class.
Outcome check_launch(const device::KernelTraits& kernel, const LaunchGeometry& launch,
                     const DeviceClass& device, const GeometryWish& wish, bool empty);

// PLN-6: the image and the class; `kernel` is null where no member serves.
Outcome check_device_class(const device::KernelTraits* kernel, const DeviceClass& device,
                           const GeometryWish& wish);

// The best member that serves the sizes and the wish, among those that fit the device if any does;
// else the best that serves, which PLN-6 then refuses. The refusal is QNT-9's or GEO-8's.
std::variant<Choice, Refusal> choose_kernel(Family family, const Sizes& sizes,
                                            const GeometryWish& wish, const DeviceClass& device,
                                            bool empty);

}  // namespace chainwalk::plan
