// SPDX-License-Identifier: Apache-2.0
// The compiled members of the family, as functions that the CUDA runtime launches.
#pragma once

#include <cstddef>

namespace chainwalk::cuda {

// The host-side address of member `index` of device::kernel_family, to be given to the runtime's
// launch, attribute and occupancy calls. The kernel takes one device::WalkParameters by value. Null
// for an index out of range. Whether the loaded image runs on a device is asked of the runtime:
// members of the async image are compiled for compute capability 9.0 and later only.
const void* kernel_address(std::size_t index) noexcept;

}  // namespace chainwalk::cuda
