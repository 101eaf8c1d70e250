// SPDX-License-Identifier: Apache-2.0
// The kernels on a GPU as an implementation under test, and its memory.
#include <map>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/cuda/device.h"
#include "chainwalk/cuda/error.h"
#include "chainwalk/cuda/launch.h"
#include "chainwalk/cuda/memory.h"
#include "device_options.h"
#include "host_implementation.h"
#include "planned_implementation.h"

namespace chainwalk::adapters {
namespace {

class CudaMachine {
 public:
  static constexpr const char* name = "cuda";
  static constexpr const char* version = "1";
  static constexpr const char* description = "the kernels of the family on a CUDA device";
  static constexpr std::int32_t memory = CW_MEMORY_CUDA;

  struct Bound {
    std::unique_ptr<cuda::BoundPlan> plan;
    plan::Request request;
    cuda::Stream stream = nullptr;
    std::vector<Record> records;  // of a dense-row walk
    std::unique_ptr<cuda::DeviceBuffer> dense_rows;
    std::unique_ptr<cuda::DeviceBuffer> prefixes;          // of its tiles
    std::int64_t last_step = -1;                           // launched on the stream, -1: none
    std::vector<std::unique_ptr<cuda::StepGraph>> graphs;  // replayed, perhaps not done yet
  };

  explicit CudaMachine(std::span<const char* const> options) {
    for (const char* option : options) take(option);
    if (const std::string why = cuda::why_unavailable(); !why.empty()) refuse(why);
    class_ = cuda::device_class(device_);
  }

  const SessionWish& wish() const { return wish_; }
  const plan::DeviceClass& device_class() const { return class_; }

  Report bind(const plan::Plan& plan, const plan::Request& request, void* stream,
              std::unique_ptr<Bound>* bound) {
    auto result = std::make_unique<Bound>();
    result->request = request;
    result->stream = stream;
    plan::Plan placed = plan;
    if (reads_dense_rows(plan) && !plan.empty) {
      result->dense_rows = std::make_unique<cuda::DeviceBuffer>(device_, dense_rows_bytes(request));
      result->request.snapshot.data = result->dense_rows->data();
      placed.parameters.snapshot = result->dense_rows->data();
      download_records(*result);
      place_prefixes(*result);
      placed.parameters.group_prefix =
          static_cast<const std::int32_t*>(result->request.group_prefix.data);
    }
    if (auto refusal = cuda::BoundPlan::bind(placed, result->request, device_, &result->plan)) {
      return {CW_REFUSED, refusal_of(refusal->check), refusal->message};
    }
    *bound = std::move(result);
    return {};
  }

  Report step(Bound& bound, std::int64_t step) {
    if (bound.dense_rows != nullptr) gather(bound, step);
    // A step depends on the one before it on the same stream, unless it reads bank rows ahead of
    // its wait: nothing stands between two walks here (LCH-2, LCH-3).
    const int dependent = dependent_ && bound.last_step >= 0 && waits_first(bound) ? 1 : 0;
    if (graph_) {
      bound.graphs.push_back(
          std::make_unique<cuda::StepGraph>(*bound.plan, device_, step, step + 1, 0));
      bound.graphs.back()->replay(bound.stream);
    } else if (auto refusal = bound.plan->launch(step, dependent, bound.stream)) {
      return {CW_REFUSED, refusal_of(refusal->check), refusal->message};
    }
    bound.last_step = step;
    streams_[bound.stream] = true;
    return {};
  }

  Report synchronize() {
    for (const auto& [stream, used] : streams_) cuda::synchronize(device_, stream);
    streams_.clear();
    return {};
  }
  void release(Bound& bound) { cuda::synchronize(device_, bound.stream); }

  static bool is_lost(const std::exception& error) {
    const auto* failure = dynamic_cast<const cuda::CudaError*>(&error);
    return failure != nullptr && failure->sticky();
  }

 private:
  void take(std::string_view option) {
    if (parse_integer(option, device_)) return;  // "cuda:0"
    const auto [key, value] = split_option(option);
    if (key == "device") {
      device_ = integer_option(key, value, 0, 1023);
    } else if (key == "dependent") {
      dependent_ = integer_option(key, value, 0, 1) == 1;
    } else if (key == "graph") {
      graph_ = integer_option(key, value, 0, 1) == 1;
    } else if (!take_wish_option(key, value, wish_)) {
      refuse_option(option,
                    "N or device=N, dependent=0|1, graph=0|1, " + std::string(wish_options));
    }
  }

  static bool waits_first(const Bound& bound) {
    const auto quantizing = device::kernel_family[bound.plan->plan().kernel].quantizing;
    return quantizing != device::Quantizing::cluster &&
           quantizing != device::Quantizing::all_slices;
  }

  void download_records(Bound& bound) const {
    const auto& shape = bound.request.records.shape;
    bound.records.resize(static_cast<std::size_t>(shape[0] * shape[1]));
    cuda::download(device_, bound.request.records.data,
                   std::as_writable_bytes(std::span(bound.records)));
  }

  void place_prefixes(Bound& bound) const {
    plan::Request& request = bound.request;
    const auto& shape = request.tile_bounds.shape;
    std::vector<std::int32_t> bounds(static_cast<std::size_t>(shape[0] * shape[1]));
    cuda::download(device_, request.tile_bounds.data, std::as_writable_bytes(std::span(bounds)));
    const auto prefixes = dense_row_prefixes(request, bound.records, bounds);
    const auto bytes = std::as_bytes(std::span(prefixes));
    bound.prefixes = std::make_unique<cuda::DeviceBuffer>(device_, bytes.size());
    bound.prefixes->upload(0, bytes);
    request.group_prefix = request.tile_bounds;
    request.group_prefix.data = bound.prefixes->data();
  }

  void gather(Bound& bound, std::int64_t step) const {
    const plan::Request& request = bound.request;
    const std::int64_t row_bytes =
        request.bank.shape[1] * (request.bank.type == plan::ElementType::bf16 ? 2 : 4);
    // The bank may still be written by the step before.
    cuda::synchronize(device_, bound.stream);
    for_each_base_row(request, bound.records, step, [&](std::int64_t slot, std::int64_t row) {
      cuda::copy_on_device(device_, bound.dense_rows->data() + row * row_bytes,
                           static_cast<std::byte*>(request.bank.data) + slot * row_bytes,
                           static_cast<std::uint64_t>(row_bytes));
    });
  }

  int device_ = 0;
  bool dependent_ = false;
  bool graph_ = false;
  SessionWish wish_;
  plan::DeviceClass class_;
  std::map<cuda::Stream, bool> streams_;
};

// A buffer between two guard zones on a device; guards are read back, contents are summed there.
class CudaGuardedBuffer final : public conformance::GuardedBuffer {
 public:
  CudaGuardedBuffer(int device, std::uint64_t bytes)
      : size_(bytes),
        padded_((bytes + 15) / 16 * 16),
        buffer_(device, padded_ + 2 * guard_bytes),
        guard_(guard_bytes) {
    for (std::size_t i = 0; i < guard_.size(); ++i) {
      guard_[i] = static_cast<std::byte>((i * 41U + 7U) & 255U);
    }
    buffer_.fill(std::byte{0});
    buffer_.upload(0, guard_);
    buffer_.upload(guard_bytes + padded_, guard_);
  }

  void* data() noexcept override { return buffer_.data() + guard_bytes; }
  std::uint64_t size() const noexcept override { return size_; }
  void upload(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) buffer_.upload(guard_bytes + offset, bytes);
  }
  void download(std::uint64_t offset, std::span<std::byte> bytes) const override {
    if (!bytes.empty()) buffer_.download(guard_bytes + offset, bytes);
  }
  void fill(std::byte value) override { buffer_.fill(guard_bytes, size_, value); }

  std::optional<std::int64_t> broken_guard() const override {
    std::vector<std::byte> zone(guard_bytes);
    buffer_.download(0, zone);
    for (std::size_t i = zone.size(); i-- > 0;) {
      if (zone[i] != guard_[i]) {
        return static_cast<std::int64_t>(i) - static_cast<std::int64_t>(guard_bytes);
      }
    }
    // Between the content and the guard behind it lie up to 15 bytes that stay 0.
    std::vector<std::byte> behind(padded_ - size_ + guard_bytes);
    buffer_.download(guard_bytes + size_, behind);
    for (std::size_t i = 0; i < behind.size(); ++i) {
      const std::size_t padding = padded_ - size_;
      const std::byte wanted = i < padding ? std::byte{0} : guard_[i - padding];
      if (behind[i] != wanted) return static_cast<std::int64_t>(size_ + i);
    }
    return std::nullopt;
  }

  std::uint64_t fingerprint() const override {
    return cuda::fingerprint(buffer_.device(), buffer_.data() + guard_bytes, padded_);
  }

 private:
  static constexpr std::uint64_t guard_bytes = 4096;
  std::uint64_t size_;
  std::uint64_t padded_;
  cuda::DeviceBuffer buffer_;
  std::vector<std::byte> guard_;
};

class CudaMemory final : public conformance::MemoryKind {
 public:
  explicit CudaMemory(int device) : device_(device) {}
  std::unique_ptr<conformance::GuardedBuffer> allocate(std::uint64_t bytes, bool) override {
    return std::make_unique<CudaGuardedBuffer>(device_, bytes);
  }
  std::uint64_t available_bytes() const override { return cuda::free_bytes(device_); }

 private:
  int device_;
};

}  // namespace

const cw_implementation* cuda_implementation() noexcept {
  return &PlannedImplementation<CudaMachine>::table;
}

std::shared_ptr<conformance::MemoryKind> cuda_memory(int device) {
  return std::make_shared<CudaMemory>(device);
}

}  // namespace chainwalk::adapters
