// SPDX-License-Identifier: Apache-2.0
// Device classes: what a chip of a compute capability offers a block (GEO-6, PLN-6, LCH-2).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chainwalk::plan {

// Largest cluster that is portable over devices, and the largest one at all (PLN-6).
inline constexpr int portable_cluster_blocks = 8;
inline constexpr int greatest_cluster_blocks = 16;

struct DeviceClass {
  std::string name;             // "h100"
  int compute_capability = 0;   // 90 for 9.0
  int multiprocessors = 0;      // SMs
  std::int64_t shared_cap = 0;  // bytes of shared memory a block may opt in to
  std::int64_t shared_per_sm = 0;
  std::int64_t l2_bytes = 0;
  int max_threads_per_sm = 0;
  bool async_image = false;  // bulk and tensor copies, clusters, dependent launch
  int max_cluster = 1;       // co-resident blocks of a cluster, non-portable sizes included
};

// Named devices ("h100", "h200", "a100", "rtx4090", "b200", ...), in a stable order. Sizes are
// those that the vendor's data sheets and device queries give.
std::span<const DeviceClass> known_devices();
// nullptr for a name that is not in the list. Names are compared without regard to case.
const DeviceClass* find_device(std::string_view name);

// The class of a compute capability, or nullopt for one that is not known (PLN-6): 8.0, 8.6, 8.9,
// 9.0, 10.0, 10.3 and 12.0 are. L2 is that of the class's first named device.
std::optional<DeviceClass> class_of(int compute_capability, int multiprocessors);

// A chip of a class that is not known, for the explicit override (GeometryWish): the smallest caps
// of any class and no async image, so that only what every chip can run is planned.
DeviceClass unknown_class(int compute_capability, int multiprocessors);

// "9.0" for 90, "10.3" for 103.
std::string capability_text(int compute_capability);

}  // namespace chainwalk::plan
