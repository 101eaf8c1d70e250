// SPDX-License-Identifier: Apache-2.0
// Ranges of a shape's sizes (PLN-1), for queries that have no tensors yet.
#pragma once

#include "checks.h"
#include "choose.h"

namespace chainwalk::plan {

// head_dim, slots, chunk_size, num_parallel (at least 1) and positions.
Outcome check_shape(const ProblemShape& shape);

// PLN-6's word on a chosen launch: shared memory, clusters, grid, image and class.
Outcome check_chosen(const device::KernelTraits* kernel, const LaunchGeometry& launch,
                     const DeviceClass& device, const GeometryWish& wish);

}  // namespace chainwalk::plan
