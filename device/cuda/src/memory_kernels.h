// SPDX-License-Identifier: Apache-2.0
// Launches of the kernels that fill, sum and search memory, and the content that they agree on.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace chainwalk::cuda {

// splitmix64's finalizer.
__host__ __device__ inline std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31U);
}

// Both halves are bf16 numbers of magnitude 0.5 to 2, and so is the whole as f32.
__host__ __device__ inline std::uint32_t word_of_index(std::uint64_t seed, std::uint64_t index) {
  const auto bits = static_cast<std::uint32_t>(
      mix(seed * 0xD1342543DE82EF95ULL + (index + 1) * 0x9E3779B97F4A7C15ULL) >> 32U);
  return (bits & 0x80FF80FFU) | 0x3F003F00U;
}

// `pieces` of 16 bytes.
cudaError_t launch_fill(void* data, std::uint64_t pieces, std::uint64_t seed);
cudaError_t launch_fingerprint(const void* data, std::uint64_t pieces, unsigned long long* sum);

inline constexpr std::uint64_t stray_list_capacity = 4096;
struct StrayList {
  unsigned long long count;  // of all, listed or not
  unsigned long long bytes[stray_list_capacity];
};
struct StraySearch {
  const void* data;
  std::uint64_t bytes;
  std::uint64_t row_bytes;
  std::uint64_t seed;
  const std::int64_t* written;  // sorted
  std::uint64_t written_count;
};
// Reads and rewrites rows at random places, and writes `out_bytes` of each to a dense row: the
// least that a walk must do.
struct RowTouch {
  void* bank;
  std::uint64_t row_bytes;
  const std::int32_t* slots;
  std::uint64_t count;
  void* out;
  std::uint64_t out_bytes;
};
cudaError_t launch_row_touch(const RowTouch& touch, cudaStream_t stream);

cudaError_t launch_stray_search(const StraySearch& search, StrayList* list);

}  // namespace chainwalk::cuda
