// SPDX-License-Identifier: Apache-2.0
// Device memory: buffers, and content that is a function of the index, made and checked at memory
// speed (BIG-1, BIG-2). All offsets are 64-bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chainwalk/cuda/launch.h"

namespace chainwalk::cuda {

// Device memory that is freed by its destructor. Copies are synchronous. Every call restores the
// caller's current device. Throws CudaError; std::bad_alloc where there is not so much memory.
class DeviceBuffer {
 public:
  DeviceBuffer(int device, std::uint64_t bytes);
  ~DeviceBuffer();
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  std::byte* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }
  int device() const noexcept { return device_; }

  void upload(std::uint64_t offset, std::span<const std::byte> bytes);
  void download(std::uint64_t offset, std::span<std::byte> bytes) const;
  void fill(std::byte value);
  void fill(std::uint64_t offset, std::uint64_t bytes, std::byte value);

 private:
  int device_ = 0;
  std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
};

// Synchronous copies of memory that the caller owns. Throw CudaError.
void download(int device, const void* source, std::span<std::byte> bytes);
void copy_on_device(int device, void* target, const void* source, std::uint64_t bytes);

// Free bytes of a device now.
std::uint64_t free_bytes(int device);

// Content as a function of the index: 32-bit word i of a region is index_word(seed, i). Finite and
// near 1 as bf16 pairs and as f32, so that walks on it stay finite.
std::uint32_t index_word(std::uint64_t seed, std::uint64_t index);

// Fills a region with index words. data is 16-byte aligned, bytes a multiple of 16.
void fill_by_index(int device, void* data, std::uint64_t bytes, std::uint64_t seed);

// A 64-bit fingerprint of a region that does not depend on the order of evaluation: equal content
// gives an equal value, and a changed byte changes it but with chance 2^-64. Alignment as above.
std::uint64_t fingerprint(int device, const void* data, std::uint64_t bytes);

// A byte of the region that is not as fill_by_index() left it, outside the rows named.
struct StrayWrite {
  std::int64_t row;
  std::int64_t byte;  // of the row
};

// Rows of row_bytes (a multiple of 4) from `data` on; `written` are sorted rows that may differ.
// Returns the lowest stray writes, at most `limit`, and their total count in *total.
std::vector<StrayWrite> find_stray_writes(int device, const void* data, std::int64_t rows,
                                          std::int64_t row_bytes, std::uint64_t seed,
                                          std::span<const std::int64_t> written, std::size_t limit,
                                          std::uint64_t* total);

}  // namespace chainwalk::cuda
