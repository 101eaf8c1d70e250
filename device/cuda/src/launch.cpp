// SPDX-License-Identifier: Apache-2.0
// Bound plans and their launches (PLN-6, LCH-1, LCH-2, LCH-6).
#include "chainwalk/cuda/launch.h"

#include <array>

#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/kernel_table.h"
#include "image.h"
#include "tensor_maps.h"

namespace chainwalk::cuda {
namespace {

CudaError::Place place_of(const char* call, const plan::Plan& plan) {
  return {call, std::string(device::kernel_family[plan.kernel].name), geometry_text(plan)};
}

// A launch's configuration with the attributes that it points to.
struct Configuration {
  std::array<cudaLaunchAttribute, 2> attributes{};
  cudaLaunchConfig_t config{};

  Configuration(const plan::Plan& plan, bool dependent, Stream stream) {
    config.gridDim = dim3(static_cast<unsigned>(plan.geometry.grid_blocks));
    config.blockDim = dim3(static_cast<unsigned>(plan.geometry.block_threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(plan.geometry.shared_bytes);
    config.stream = static_cast<cudaStream_t>(stream);
    config.attrs = attributes.data();
    if (plan.geometry.cluster_blocks > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim = {static_cast<unsigned>(plan.geometry.cluster_blocks), 1, 1};
    }
    if (dependent) {
      cudaLaunchAttribute& serialization = attributes[config.numAttrs++];
      serialization.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      serialization.val.programmaticStreamSerializationAllowed = 1;
    }
  }
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;
};

}  // namespace

struct BoundPlan::Impl {
  plan::Plan plan;
  device::WalkParameters parameters;
  int device;
};

BoundPlan::BoundPlan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundPlan::~BoundPlan() = default;
const plan::Plan& BoundPlan::plan() const { return impl_->plan; }

int co_resident_clusters(const plan::Plan& plan, int device) {
  const CurrentDevice current(device);
  raise_attributes(plan, device);
  const Configuration configuration(plan, false, nullptr);
  int clusters = 0;
  if (plan.geometry.cluster_blocks == 1) {
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&clusters, kernel_address(plan.kernel),
                                                        plan.geometry.block_threads,
                                                        configuration.config.dynamicSmemBytes),
          place_of("cudaOccupancyMaxActiveBlocksPerMultiprocessor", plan));
    return clusters * device_info(device).multiprocessors;
  }
  const cudaError_t code =
      cudaOccupancyMaxActiveClusters(&clusters, kernel_address(plan.kernel), &configuration.config);
  if (code == cudaErrorInvalidClusterSize) {
    (void)cudaGetLastError();
    return 0;
  }
  check(code, place_of("cudaOccupancyMaxActiveClusters", plan));
  return clusters;
}

std::optional<plan::Refusal> BoundPlan::bind(const plan::Plan& plan, const plan::Request& request,
                                             int device, std::unique_ptr<BoundPlan>* bound) {
  if (auto refusal = plan::check_version(plan)) {
    return refusal;
  }
  const CurrentDevice current(device);
  auto impl = std::make_unique<Impl>(Impl{plan, plan.parameters, device});
  if (!plan.empty) {
    if (auto refusal = check_image(plan, device)) {
      return refusal;
    }
    raise_attributes(plan, device);
    if (plan.geometry.cluster_blocks > 1 && co_resident_clusters(plan, device) == 0) {
      return plan::Refusal{
          plan::Check::pln6_cluster_capacity,
          "PLN-6: the device holds no cluster of " + geometry_text(plan) + "; it must hold one"};
    }
    encode_tensor_maps(plan, request, impl->parameters);
  }
  bound->reset(new BoundPlan(std::move(impl)));
  return std::nullopt;
}

std::optional<plan::Refusal> BoundPlan::launch(std::int64_t step, int dependent,
                                               Stream stream) const {
  if (auto refusal = plan::check_step(impl_->plan, step, dependent)) {
    return refusal;
  }
  if (impl_->plan.empty) {
    return std::nullopt;
  }
  const CurrentDevice current(impl_->device);
  device::WalkParameters parameters = impl_->parameters;
  parameters.step = static_cast<std::int32_t>(step);
  parameters.dependent = dependent;
  void* arguments[] = {&parameters};
  const Configuration configuration(impl_->plan, dependent == 1, stream);
  check(cudaLaunchKernelExC(&configuration.config, kernel_address(impl_->plan.kernel), arguments),
        place_of("cudaLaunchKernelExC", impl_->plan));
  return std::nullopt;
}

void synchronize(int device, Stream stream) {
  const CurrentDevice current(device);
  check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)), "cudaStreamSynchronize");
}

}  // namespace chainwalk::cuda
