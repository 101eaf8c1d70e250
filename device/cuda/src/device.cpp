// SPDX-License-Identifier: Apache-2.0
// The GPUs of this machine (PLN-6, LCH-6).
#include "chainwalk/cuda/device.h"

#include <stdexcept>

#include "runtime.h"

namespace chainwalk::cuda {
namespace {

int attribute(cudaDeviceAttr which, int ordinal) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, ordinal), "cudaDeviceGetAttribute");
  return value;
}

void require_ordinal(int ordinal) {
  if (ordinal < 0 || ordinal >= device_count()) {
    const std::string why = why_unavailable();
    throw std::out_of_range("CUDA device " + std::to_string(ordinal) + " does not exist: " +
                            (why.empty() ? "there are " + std::to_string(device_count()) : why));
  }
}

}  // namespace

std::string why_unavailable() noexcept {
  int count = 0;
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code != cudaSuccess) {
    (void)cudaGetLastError();
    if (code == cudaErrorNoDevice) {
      return "no CUDA device";
    }
    if (code == cudaErrorInsufficientDriver) {
      return "no CUDA device: there is no driver, or it is older than this build's CUDA runtime";
    }
    return std::string("no CUDA device can be used: ") + cudaGetErrorString(code);
  }
  return count == 0 ? "no CUDA device" : "";
}

int device_count() noexcept {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return 0;
  }
  return count;
}

DeviceInfo device_info(int ordinal) {
  require_process("device_info");
  require_ordinal(ordinal);
  const CurrentDevice current(ordinal);
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, ordinal), "cudaGetDeviceProperties");
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  DeviceInfo info;
  info.ordinal = ordinal;
  info.name = properties.name;
  info.compute_capability = properties.major * 10 + properties.minor;
  info.multiprocessors = properties.multiProcessorCount;
  info.shared_cap = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
  info.shared_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
  info.l2_bytes = attribute(cudaDevAttrL2CacheSize, ordinal);
  info.total_bytes = static_cast<std::int64_t>(total);
  info.free_bytes = static_cast<std::int64_t>(free);
  check(cudaDriverGetVersion(&info.driver_version), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&info.runtime_version), "cudaRuntimeGetVersion");
  return info;
}

plan::DeviceClass device_class(int ordinal) {
  const DeviceInfo info = device_info(ordinal);
  plan::DeviceClass result =
      plan::class_of(info.compute_capability, info.multiprocessors)
          .value_or(plan::unknown_class(info.compute_capability, info.multiprocessors));
  result.name = info.name;
  result.shared_cap = info.shared_cap;
  result.shared_per_sm = info.shared_per_sm;
  result.l2_bytes = info.l2_bytes;
  result.max_threads_per_sm = attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal);
  return result;
}

CurrentDevice::CurrentDevice(int ordinal) {
  require_process("cudaSetDevice");
  check(cudaGetDevice(&previous_), "cudaGetDevice");
  if (previous_ != ordinal) {
    check(cudaSetDevice(ordinal), "cudaSetDevice");
  }
}

CurrentDevice::~CurrentDevice() { (void)cudaSetDevice(previous_); }

}  // namespace chainwalk::cuda
