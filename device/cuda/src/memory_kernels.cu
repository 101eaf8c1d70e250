// SPDX-License-Identifier: Apache-2.0
// Kernels that fill memory by index, take its fingerprint, and find stray writes (BIG-1, BIG-2).
#include "memory_kernels.h"

namespace chainwalk::cuda {
namespace {

constexpr int block_threads = 256;
constexpr int grid_blocks = 4096;

__device__ std::uint64_t first_index() {
  return static_cast<std::uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t index_stride() {
  return static_cast<std::uint64_t>(gridDim.x) * blockDim.x;
}

__global__ void fill_kernel(uint4* data, std::uint64_t pieces, std::uint64_t seed) {
  for (std::uint64_t i = first_index(); i < pieces; i += index_stride()) {
    data[i] = make_uint4(word_of_index(seed, 4 * i), word_of_index(seed, 4 * i + 1),
                         word_of_index(seed, 4 * i + 2), word_of_index(seed, 4 * i + 3));
  }
}

// A sum of mixed pieces: any order gives the same bits.
__global__ void fingerprint_kernel(const uint4* data, std::uint64_t pieces,
                                   unsigned long long* sum) {
  std::uint64_t total = 0;
  for (std::uint64_t i = first_index(); i < pieces; i += index_stride()) {
    const uint4 piece = data[i];
    const std::uint64_t low = static_cast<std::uint64_t>(piece.y) << 32U | piece.x;
    const std::uint64_t high = static_cast<std::uint64_t>(piece.w) << 32U | piece.z;
    total += mix(mix(low + 0x9E3779B97F4A7C15ULL * (i + 1)) ^ high);
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_down_sync(0xFFFFFFFFU, total, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sum, static_cast<unsigned long long>(total));
  }
}

__device__ bool holds(const std::int64_t* sorted, std::uint64_t count, std::int64_t value) {
  std::uint64_t low = 0;
  std::uint64_t high = count;
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (sorted[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && sorted[low] == value;
}

// A word that differs may belong to two rows: each of its bytes answers for itself.
__global__ void stray_kernel(StraySearch search, StrayList* list) {
  const auto* bytes = static_cast<const unsigned char*>(search.data);
  const std::uint64_t words = (search.bytes + 3) / 4;
  for (std::uint64_t i = first_index(); i < words; i += index_stride()) {
    const std::uint32_t expected = word_of_index(search.seed, i);
    if (4 * i + 4 <= search.bytes &&
        reinterpret_cast<const std::uint32_t*>(search.data)[i] == expected) {
      continue;
    }
    for (std::uint64_t byte = 4 * i; byte < 4 * i + 4 && byte < search.bytes; ++byte) {
      const auto wanted = static_cast<unsigned char>(expected >> (8U * (byte % 4U)));
      const auto row = static_cast<std::int64_t>(byte / search.row_bytes);
      if (bytes[byte] == wanted || holds(search.written, search.written_count, row)) {
        continue;
      }
      const unsigned long long place = atomicAdd(&list->count, 1ULL);
      if (place < stray_list_capacity) {
        list->bytes[place] = byte;
      }
    }
  }
}

// A warp a row; pieces of 16 bytes where rows allow, else of 2.
template <typename Piece>
__global__ void row_touch_kernel(RowTouch touch) {
  const std::uint64_t warp = first_index() / 32;
  if (warp >= touch.count) {
    return;
  }
  const std::uint64_t slot = static_cast<std::uint32_t>(touch.slots[warp]);
  auto* row = reinterpret_cast<Piece*>(static_cast<char*>(touch.bank) + slot * touch.row_bytes);
  auto* out = reinterpret_cast<Piece*>(static_cast<char*>(touch.out) + warp * touch.out_bytes);
  constexpr int batch = 4;
  const auto pieces = static_cast<unsigned>(touch.row_bytes / sizeof(Piece));
  const auto out_pieces = static_cast<unsigned>(touch.out_bytes / sizeof(Piece));
  for (unsigned begin = threadIdx.x % 32; begin < pieces; begin += 32 * batch) {
    Piece held[batch];
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      if (begin + 32 * i < pieces) held[i] = row[begin + 32 * i];
    }
#pragma unroll
    for (unsigned i = 0; i < batch; ++i) {
      const unsigned piece = begin + 32 * i;
      if (piece < pieces) row[piece] = held[i];
      if (piece < pieces && piece < out_pieces) out[piece] = held[i];
    }
  }
}

}  // namespace

cudaError_t launch_row_touch(const RowTouch& touch, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((touch.count * 32 + block_threads - 1) / block_threads);
  if (touch.row_bytes % 16 == 0 && touch.out_bytes % 16 == 0) {
    row_touch_kernel<uint4><<<blocks, block_threads, 0, stream>>>(touch);
  } else if (touch.row_bytes % 8 == 0 && touch.out_bytes % 8 == 0) {
    row_touch_kernel<uint2><<<blocks, block_threads, 0, stream>>>(touch);
  } else {
    row_touch_kernel<unsigned short><<<blocks, block_threads, 0, stream>>>(touch);
  }
  return cudaGetLastError();
}

cudaError_t launch_fill(void* data, std::uint64_t pieces, std::uint64_t seed) {
  fill_kernel<<<grid_blocks, block_threads>>>(static_cast<uint4*>(data), pieces, seed);
  return cudaGetLastError();
}

cudaError_t launch_fingerprint(const void* data, std::uint64_t pieces, unsigned long long* sum) {
  fingerprint_kernel<<<grid_blocks, block_threads>>>(static_cast<const uint4*>(data), pieces, sum);
  return cudaGetLastError();
}

cudaError_t launch_stray_search(const StraySearch& search, StrayList* list) {
  stray_kernel<<<grid_blocks, block_threads>>>(search, list);
  return cudaGetLastError();
}

}  // namespace chainwalk::cuda
