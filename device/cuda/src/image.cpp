// SPDX-License-Identifier: Apache-2.0
// What the loaded image of a member is, and whether it is the one that a plan was made for (PLN-6),
// with the attributes that are set once a function and device and only raised (LCH-6).
#include "image.h"

#include <map>
#include <mutex>
#include <utility>

#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/kernel_table.h"

namespace chainwalk::cuda {
namespace {

std::mutex attribute_lock;
std::map<std::pair<const void*, int>, Attributes>& attributes_set() {
  static std::map<std::pair<const void*, int>, Attributes> set;
  return set;
}

std::string version_text(int version) { return plan::capability_text(version); }

}  // namespace

std::optional<KernelImage> kernel_image(std::size_t kernel, int device, std::string* reason) {
  const CurrentDevice current(device);
  const void* address = kernel_address(kernel);
  const auto say = [&](const std::string& text) {
    if (reason != nullptr) {
      *reason = text;
    }
    return std::nullopt;
  };
  if (address == nullptr) {
    return say("this build does not carry it");
  }
  cudaFuncAttributes attributes{};
  const cudaError_t code = cudaFuncGetAttributes(&attributes, address);
  if (code == cudaErrorInvalidDeviceFunction || code == cudaErrorNoKernelImageForDevice ||
      code == cudaErrorUnsupportedPtxVersion || code == cudaErrorInvalidKernelImage) {
    (void)cudaGetLastError();
    return say(std::string("no image of it runs on this device: ") + cudaGetErrorString(code));
  }
  check(code, CudaError::Place{
                  "cudaFuncGetAttributes", std::string(device::kernel_family[kernel].name), {}});
  KernelImage image;
  image.registers = attributes.numRegs;
  image.local_bytes = static_cast<int>(attributes.localSizeBytes);
  image.static_shared = static_cast<std::int64_t>(attributes.sharedSizeBytes);
  image.max_threads = attributes.maxThreadsPerBlock;
  image.binary_version = attributes.binaryVersion;
  image.virtual_version = attributes.ptxVersion;
  return image;
}

plan::Refusal image_refusal(std::size_t kernel, const std::string& why) {
  return {plan::Check::pln6_image,
          "PLN-6: kernel " + std::string(device::kernel_family[kernel].name) + ": " + why};
}

std::optional<plan::Refusal> check_image(const plan::Plan& plan, int device) {
  std::string reason;
  const auto image = kernel_image(plan.kernel, device, &reason);
  if (!image) {
    return image_refusal(plan.kernel, reason);
  }
  const bool async = device::kernel_family[plan.kernel].image == device::Image::async;
  if (async && (image->binary_version < 90 || image->virtual_version < 90)) {
    return image_refusal(plan.kernel,
                         "the loaded image is for compute capability " +
                             version_text(image->binary_version) + " (from " +
                             version_text(image->virtual_version) +
                             "); the plan is of the async image, which needs 9.0 or later");
  }
  if (image->max_threads < plan.geometry.block_threads) {
    return image_refusal(plan.kernel, "the loaded image takes blocks of at most " +
                                          std::to_string(image->max_threads) +
                                          " threads; the plan needs " +
                                          std::to_string(plan.geometry.block_threads));
  }
  return std::nullopt;
}

void raise_attributes(const plan::Plan& plan, int device) {
  const CurrentDevice current(device);
  const void* address = kernel_address(plan.kernel);
  const std::string name(device::kernel_family[plan.kernel].name);
  const std::lock_guard guard(attribute_lock);
  Attributes& set = attributes_set()[{address, device}];
  if (plan.geometry.shared_bytes > set.shared_bytes) {
    check(cudaFuncSetAttribute(address, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(plan.geometry.shared_bytes)),
          CudaError::Place{"cudaFuncSetAttribute of shared memory", name, geometry_text(plan)});
    set.shared_bytes = plan.geometry.shared_bytes;
  }
  if (plan.geometry.cluster_blocks > plan::portable_cluster_blocks && !set.non_portable) {
    check(cudaFuncSetAttribute(address, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          CudaError::Place{"cudaFuncSetAttribute of cluster size", name, geometry_text(plan)});
    set.non_portable = true;
  }
}

Attributes attributes_of(std::size_t kernel, int device) {
  const std::lock_guard guard(attribute_lock);
  const auto found = attributes_set().find({kernel_address(kernel), device});
  return found == attributes_set().end() ? Attributes{} : found->second;
}

std::string geometry_text(const plan::Plan& plan) {
  const plan::LaunchGeometry& geometry = plan.geometry;
  return std::to_string(geometry.grid_blocks) + " blocks of " +
         std::to_string(geometry.block_threads) + " threads, clusters of " +
         std::to_string(geometry.cluster_blocks) + ", " + std::to_string(geometry.shared_bytes) +
         " bytes of shared memory";
}

}  // namespace chainwalk::cuda
