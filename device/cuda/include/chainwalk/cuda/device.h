// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine, as plans see them.
#pragma once

#include <cstdint>
#include <string>

#include "chainwalk/plan/device_class.h"

namespace chainwalk::cuda {

// Empty: at least one GPU can be used. Else why not, in words: "built without CUDA", "no CUDA
// device", or the driver's message. Never throws.
std::string why_unavailable() noexcept;

// 0 where why_unavailable() is not empty.
int device_count() noexcept;

struct DeviceInfo {
  int ordinal = 0;
  std::string name;  // the vendor's
  int compute_capability = 0;
  int multiprocessors = 0;
  std::int64_t shared_cap = 0;  // bytes a block may opt in to
  std::int64_t shared_per_sm = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;
  int driver_version = 0;   // 13000 for 13.0
  int runtime_version = 0;  // of this build
};
// Throws CudaError; std::out_of_range for an ordinal outside 0..device_count() - 1.
DeviceInfo device_info(int ordinal);

// The device's class for plans: measured sizes, and the async image where the class has it. A
// capability that is not known gives plan::unknown_class's caps: PLN-6 then needs the override.
plan::DeviceClass device_class(int ordinal);

// Makes a device current, and the caller's again when it goes.
class CurrentDevice {
 public:
  explicit CurrentDevice(int ordinal);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  [[maybe_unused]] int previous_ = -1;  // a build without CUDA restores nothing
};

}  // namespace chainwalk::cuda
