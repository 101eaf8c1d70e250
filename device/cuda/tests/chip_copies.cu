// SPDX-License-Identifier: Apache-2.0
// A kernel of one copy, by the primitives of the family's kernels.
#include "chip_copies.h"
#include "primitives/block.h"
#include "primitives/bulk_copy.h"
#include "primitives/thread.h"

namespace chainwalk::cuda {
namespace {

using namespace device;

constexpr std::uint32_t more_bytes = 16;

// Offsets into shared memory.
__host__ __device__ constexpr std::uint32_t window_bytes(std::uint32_t bytes) {
  return bytes + 2 * copy_guard_bytes;
}
__host__ __device__ constexpr std::uint32_t barrier_offset(std::uint32_t bytes) {
  return window_bytes(bytes) + more_bytes;
}
__host__ __device__ constexpr std::uint32_t flag_offset(std::uint32_t bytes) {
  return barrier_offset(bytes) + static_cast<std::uint32_t>(sizeof(Barrier));
}

// Whether phase 0 completes within some cycles.
__device__ bool completes_within(Barrier* barrier, long long cycles) {
  const long long begin = clock64();
  do {
    if (barrier_try_wait(barrier, 0)) return true;
  } while (clock64() - begin < cycles);
  return false;
}

__global__ void copy_kernel(const __grid_constant__ CopyProblem problem, std::uint8_t* window,
                            CopyVerdict* verdict) {
  unsigned char* shared = shared_memory();
  auto* barrier = reinterpret_cast<Barrier*>(shared + barrier_offset(problem.bytes));
  auto* complete = reinterpret_cast<std::uint32_t*>(shared + flag_offset(problem.bytes));
  for (int i = thread_index(); i < static_cast<int>(window_bytes(problem.bytes));
       i += block_threads()) {
    shared[i] = copy_guard_value;
  }
  if (thread_index() == 0) {
    barrier_init(barrier, 1);
    barrier_init_fence();
  }
  fence_proxy_async();
  sync_block();
  if (thread_index() == 0) {
    unsigned char* place = shared + copy_guard_bytes;
    barrier_arrive_expect(barrier, problem.bytes + more_bytes);
    if (problem.tensor) {
      tensor_copy_2d(place, &problem.map, problem.column, problem.row, barrier);
    } else {
      bulk_copy(place, problem.source, problem.bytes, barrier);
    }
    verdict->early = completes_within(barrier, 200'000);
    bulk_copy(shared + window_bytes(problem.bytes), problem.source, more_bytes, barrier);
    verdict->complete = completes_within(barrier, 200'000'000);
    *complete = verdict->complete ? 1 : 0;
  }
  sync_block();
  if (*complete != 0) barrier_wait(barrier, 0);  // every thread sees what the copies wrote
  for (int i = thread_index(); i < static_cast<int>(window_bytes(problem.bytes));
       i += block_threads()) {
    window[i] = shared[i];
  }
}

}  // namespace

cudaError_t launch_copy(const CopyProblem& problem, std::uint8_t* window, CopyVerdict* verdict) {
  const std::uint32_t shared_bytes =
      flag_offset(problem.bytes) + static_cast<std::uint32_t>(sizeof(std::uint32_t));
  const cudaError_t code = cudaFuncSetAttribute(reinterpret_cast<const void*>(&copy_kernel),
                                                cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                static_cast<int>(shared_bytes));
  if (code != cudaSuccess) return code;
  copy_kernel<<<1, 128, shared_bytes>>>(problem, window, verdict);
  return cudaGetLastError();
}

}  // namespace chainwalk::cuda
