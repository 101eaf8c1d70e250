// SPDX-License-Identifier: Apache-2.0
// Device classes: what a chip of a compute capability offers a block (GEO-6, PLN-6).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace chainwalk::plan {

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

// Named devices ("h100", "h200", "a100", "rtx4090", "b200", ...), in a stable order.
std::span<const DeviceClass> known_devices();
const DeviceClass* find_device(std::string_view name);

// The class of a compute capability, or nullopt for one that is not known (PLN-6).
std::optional<DeviceClass> class_of(int compute_capability, int multiprocessors);

}  // namespace chainwalk::plan
