// SPDX-License-Identifier: Apache-2.0
// Device memory, and its checks at memory speed (BIG-1, BIG-2).
#include "chainwalk/cuda/memory.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "chainwalk/cuda/device.h"
#include "memory_kernels.h"
#include "runtime.h"

namespace chainwalk::cuda {
namespace {

void require_range(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  if (offset > size || bytes > size - offset) {
    throw std::out_of_range("bytes " + std::to_string(offset) + ".." +
                            std::to_string(offset + bytes) + " of a device buffer of " +
                            std::to_string(size));
  }
}

void require_words(const void* data, std::uint64_t bytes) {
  if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0 || bytes % 16 != 0) {
    throw std::invalid_argument("a region of " + std::to_string(bytes) +
                                " bytes is checked in words of 16 bytes; address and size must be "
                                "multiples of 16");
  }
}

}  // namespace

DeviceBuffer::DeviceBuffer(int device, std::uint64_t bytes) : device_(device), size_(bytes) {
  const CurrentDevice current(device);
  void* data = nullptr;
  // Never null, so that an empty tensor has an address too.
  const cudaError_t code = cudaMalloc(&data, std::max<std::uint64_t>(bytes, 16));
  if (code == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    throw std::bad_alloc();
  }
  check(code, "cudaMalloc");
  data_ = static_cast<std::byte*>(data);
}

DeviceBuffer::~DeviceBuffer() {
  if (data_ != nullptr) {
    (void)cudaFree(data_);
  }
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(other.device_),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void DeviceBuffer::upload(std::uint64_t offset, std::span<const std::byte> bytes) {
  require_range(offset, bytes.size(), size_);
  const CurrentDevice current(device_);
  check(cudaMemcpy(data_ + offset, bytes.data(), bytes.size(), cudaMemcpyHostToDevice),
        "cudaMemcpy to the device");
}

void DeviceBuffer::download(std::uint64_t offset, std::span<std::byte> bytes) const {
  require_range(offset, bytes.size(), size_);
  const CurrentDevice current(device_);
  check(cudaMemcpy(bytes.data(), data_ + offset, bytes.size(), cudaMemcpyDeviceToHost),
        "cudaMemcpy from the device");
}

void DeviceBuffer::fill(std::byte value) { fill(0, size_, value); }

void DeviceBuffer::fill(std::uint64_t offset, std::uint64_t bytes, std::byte value) {
  require_range(offset, bytes, size_);
  const CurrentDevice current(device_);
  check(cudaMemset(data_ + offset, std::to_integer<int>(value), bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

void download(int device, const void* source, std::span<std::byte> bytes) {
  const CurrentDevice current(device);
  check(cudaMemcpy(bytes.data(), source, bytes.size(), cudaMemcpyDeviceToHost),
        "cudaMemcpy from the device");
}

void copy_on_device(int device, void* target, const void* source, std::uint64_t bytes) {
  const CurrentDevice current(device);
  check(cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToDevice), "cudaMemcpy on the device");
}

std::uint64_t free_bytes(int device) {
  const CurrentDevice current(device);
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return free;
}

std::uint32_t index_word(std::uint64_t seed, std::uint64_t index) {
  return word_of_index(seed, index);
}

void fill_by_index(int device, void* data, std::uint64_t bytes, std::uint64_t seed) {
  require_words(data, bytes);
  const CurrentDevice current(device);
  check(launch_fill(data, bytes / 16, seed), "fill_by_index");
  check(cudaDeviceSynchronize(), "fill_by_index");
}

std::uint64_t fingerprint(int device, const void* data, std::uint64_t bytes) {
  require_words(data, bytes);
  DeviceBuffer sum(device, sizeof(std::uint64_t));
  sum.fill(std::byte{0});
  const CurrentDevice current(device);
  check(launch_fingerprint(data, bytes / 16, reinterpret_cast<unsigned long long*>(sum.data())),
        "fingerprint");
  check(cudaDeviceSynchronize(), "fingerprint");
  std::uint64_t result = bytes;
  std::uint64_t total = 0;
  sum.download(0, std::as_writable_bytes(std::span(&total, 1)));
  return result ^ total;
}

std::vector<StrayWrite> find_stray_writes(int device, const void* data, std::int64_t rows,
                                          std::int64_t row_bytes, std::uint64_t seed,
                                          std::span<const std::int64_t> written, std::size_t limit,
                                          std::uint64_t* total) {
  DeviceBuffer allowed(device, written.size_bytes());
  allowed.upload(0, std::as_bytes(written));
  DeviceBuffer found(device, sizeof(StrayList));
  found.fill(std::byte{0});
  const CurrentDevice current(device);
  StraySearch search{};
  search.data = data;
  search.bytes = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(row_bytes);
  search.row_bytes = static_cast<std::uint64_t>(row_bytes);
  search.seed = seed;
  search.written = reinterpret_cast<const std::int64_t*>(allowed.data());
  search.written_count = written.size();
  check(launch_stray_search(search, reinterpret_cast<StrayList*>(found.data())),
        "find_stray_writes");
  check(cudaDeviceSynchronize(), "find_stray_writes");
  StrayList list{};
  found.download(0, std::as_writable_bytes(std::span(&list, 1)));
  const auto listed = std::min<std::uint64_t>(list.count, stray_list_capacity);
  std::vector<std::uint64_t> bytes(list.bytes, list.bytes + listed);
  std::ranges::sort(bytes);
  bytes.resize(std::min<std::size_t>(bytes.size(), limit));
  std::vector<StrayWrite> result;
  for (const std::uint64_t byte : bytes) {
    result.push_back({static_cast<std::int64_t>(byte / search.row_bytes),
                      static_cast<std::int64_t>(byte % search.row_bytes)});
  }
  if (total != nullptr) {
    *total = list.count;
  }
  return result;
}

}  // namespace chainwalk::cuda
