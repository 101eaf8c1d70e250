// SPDX-License-Identifier: Apache-2.0
// A CUDA thread of the emulator, and how running code finds its own: by the stack it runs on. No
// thread-local variable is involved, so a fiber may be resumed by another OS thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chainwalk::emulator {

struct Warp;
struct Block;
struct PendingCopies;

// A fiber's slot: [control page | guard page | stack], aligned to its size. The build defines the
// macro for every file alike, instrumented or not: AddressSanitizer's frames are wide.
#if defined(CHAINWALK_EMULATOR_WIDE_STACKS)
inline constexpr std::uintptr_t slot_bytes = std::uintptr_t{256} * 1024;
#else
inline constexpr std::uintptr_t slot_bytes = std::uintptr_t{64} * 1024;
#endif
inline constexpr std::uintptr_t page_bytes = 4096;
// Slots are offset against one another by this many bytes times slot_colours, or a thousand
// fibers would fight for the same few sets of the first-level cache.
inline constexpr std::uintptr_t colour_bytes = 128;
inline constexpr std::uintptr_t slot_colours = 32;

constexpr std::uintptr_t colour_of(std::uintptr_t slot) {
  return (slot / slot_bytes) % slot_colours * colour_bytes;
}

struct alignas(128) Lane {
  void* stack_pointer = nullptr;  // while suspended
  Warp* warp = nullptr;
  Block* block = nullptr;
  unsigned char* shared = nullptr;  // the block's dynamic shared memory
  std::int64_t block_index = 0;
  std::int32_t thread = 0;  // in the block
  std::int32_t block_threads = 0;
  PendingCopies* copies = nullptr;  // cp.async of this thread
  std::int32_t knowledge = 0;       // index of what it knows of other lanes' accesses
  std::int32_t cluster_arrivals = 0;
  std::int32_t cluster_waits = 0;
  std::uint32_t until_preemption = 0;  // accesses, checked build
  std::uint32_t waits_on = 0;          // Wait
  std::int32_t wait_barrier = 0;       // index into the block's barriers
  std::int32_t wait_parity = 0;
  bool woken_by_timeout = false;
  bool dependent_waited = false;
  const void* site = nullptr;  // return address of the primitive it last entered
};
static_assert(sizeof(Lane) <= colour_bytes);
static_assert(slot_colours * colour_bytes == page_bytes);

inline Lane* lane_of_slot(std::uintptr_t slot) {
  return reinterpret_cast<Lane*>(slot + colour_of(slot));
}
inline __attribute__((always_inline)) Lane& this_lane() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return *lane_of_slot(here & ~(slot_bytes - 1));
}

}  // namespace chainwalk::emulator
