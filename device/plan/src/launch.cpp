// SPDX-License-Identifier: Apache-2.0
// Blocks, threads, clusters and shared memory of a launch (GEO-6, PLN-6).
#include "launch.h"

#include <algorithm>

#include "arithmetic.h"
#include "geometry.h"

namespace chainwalk::plan {

bool fits_launch(const Sizes& sizes) {
  const auto blocks = product({sizes.num_parallel, sizes.head.slices, sizes.blocks});
  return blocks && *blocks <= int32_greatest &&
         product_within(sizes.warps, sizes.blocks, int32_greatest) &&
         sizes.num_parallel <= int32_greatest;
}

device::WalkParameters launch_sizes(const Sizes& sizes) {
  device::WalkParameters parameters{};
  parameters.positions = sizes.positions;
  parameters.head_dim = static_cast<std::int32_t>(sizes.head.head_dim);
  parameters.slices = static_cast<std::int32_t>(sizes.head.slices);
  parameters.slice_width = static_cast<std::int32_t>(sizes.head.slice_width);
  parameters.num_parallel = static_cast<std::int32_t>(sizes.num_parallel);
  parameters.chunk_size = static_cast<std::int32_t>(sizes.chunk_size);
  parameters.tiles_per_chunk = static_cast<std::int32_t>(sizes.warps * sizes.blocks);
  parameters.blocks_per_chunk = static_cast<std::int32_t>(sizes.blocks);
  return parameters;
}

LaunchGeometry launch_of(const device::KernelTraits& kernel, const Sizes& sizes) {
  const bool fits = fits_launch(sizes);
  Sizes launched = sizes;
  if (!fits) {
    launched.num_parallel = 1;
    launched.blocks = 1;
  }
  const device::LaunchShape shape = device::launch_shape(kernel, launch_sizes(launched));
  return {fits ? std::min(shape.blocks, int32_greatest + 1) : int32_greatest + 1, shape.threads,
          shape.cluster, shape.shared_bytes};
}

}  // namespace chainwalk::plan
