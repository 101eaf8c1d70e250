// SPDX-License-Identifier: Apache-2.0
// The room's functions in a build without CUDA: everything says so.
#include <stdexcept>

#include "chainwalk/cuda/bench.h"
#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/error.h"
#include "chainwalk/cuda/launch.h"
#include "chainwalk/cuda/memory.h"

namespace chainwalk::cuda {
namespace {

constexpr const char* no_cuda = "built without CUDA";

[[noreturn]] void refuse(const char* call) { throw CudaError({call, {}, {}}, 0, no_cuda, false); }

}  // namespace

std::string why_unavailable() noexcept { return no_cuda; }
int device_count() noexcept { return 0; }
DeviceInfo device_info(int) { refuse("device_info"); }
plan::DeviceClass device_class(int) { refuse("device_class"); }
CurrentDevice::CurrentDevice(int) { refuse("CurrentDevice"); }
CurrentDevice::~CurrentDevice() = default;

std::optional<KernelImage> kernel_image(std::size_t, int, std::string*) { refuse("kernel_image"); }
int co_resident_clusters(const plan::Plan&, int) { refuse("co_resident_clusters"); }
struct BoundPlan::Impl {
  plan::Plan plan;
};
BoundPlan::BoundPlan(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BoundPlan::~BoundPlan() = default;
const plan::Plan& BoundPlan::plan() const { return impl_->plan; }
std::optional<plan::Refusal> BoundPlan::bind(const plan::Plan&, const plan::Request&, int,
                                             std::unique_ptr<BoundPlan>*) {
  refuse("bind");
}
std::optional<plan::Refusal> BoundPlan::launch(std::int64_t, int, Stream) const {
  refuse("launch");
}
void synchronize(int, Stream) { refuse("synchronize"); }
struct StepGraph::Impl {};
StepGraph::StepGraph(const BoundPlan&, int, std::int64_t, std::int64_t, int) {
  refuse("StepGraph");
}
StepGraph::~StepGraph() = default;
void StepGraph::replay(Stream) const { refuse("replay"); }

DeviceBuffer::DeviceBuffer(int, std::uint64_t) { refuse("DeviceBuffer"); }
DeviceBuffer::~DeviceBuffer() = default;
DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept = default;
DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept = default;
void DeviceBuffer::upload(std::uint64_t, std::span<const std::byte>) { refuse("upload"); }
void DeviceBuffer::download(std::uint64_t, std::span<std::byte>) const { refuse("download"); }
void DeviceBuffer::fill(std::byte) { refuse("fill"); }
void DeviceBuffer::fill(std::uint64_t, std::uint64_t, std::byte) { refuse("fill"); }
void download(int, const void*, std::span<std::byte>) { refuse("download"); }
void copy_on_device(int, void*, const void*, std::uint64_t) { refuse("copy_on_device"); }
std::uint64_t free_bytes(int) { refuse("free_bytes"); }
std::uint32_t index_word(std::uint64_t, std::uint64_t) { refuse("index_word"); }
void fill_by_index(int, void*, std::uint64_t, std::uint64_t) { refuse("fill_by_index"); }
std::uint64_t fingerprint(int, const void*, std::uint64_t) { refuse("fingerprint"); }
std::vector<StrayWrite> find_stray_writes(int, const void*, std::int64_t, std::int64_t,
                                          std::uint64_t, std::span<const std::int64_t>, std::size_t,
                                          std::uint64_t*) {
  refuse("find_stray_writes");
}

BenchRow run_case(const BenchCase&, const BenchSettings&) { refuse("run_case"); }

}  // namespace chainwalk::cuda
