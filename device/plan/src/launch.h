// SPDX-License-Identifier: Apache-2.0
// What a launch of a member takes, from the geometry that plans and kernels share (GEO-6, PLN-6).
#pragma once

#include "chainwalk/plan/plan.h"
#include "sizes.h"

namespace chainwalk::plan {

// The sizes of a launch, without pointers. Every size fits its field where fits_launch() says so.
device::WalkParameters launch_sizes(const Sizes& sizes);
bool fits_launch(const Sizes& sizes);

// The launch for sizes that pass PLN-1 to PLN-5. Where the sizes do not fit a launch (PLN-6's grid
// check refuses them) grid_blocks is 2^31, and the other fields are those of one block a chunk.
LaunchGeometry launch_of(const device::KernelTraits& kernel, const Sizes& sizes);

}  // namespace chainwalk::plan
