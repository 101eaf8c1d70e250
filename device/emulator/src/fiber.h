// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks with guard pages, and the switch between two of them (about 10 ns on x86-64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/lane.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHAINWALK_FIBERS_UNDER_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define CHAINWALK_FIBERS_UNDER_ASAN 1
#endif

// CHAINWALK_BOOST_FIBERS takes Boost.Context on x86-64 too, so that it can be tested there.
#if defined(__x86_64__) && !defined(CHAINWALK_BOOST_FIBERS)
#define CHAINWALK_ASSEMBLY_FIBERS 1
#if !defined(CHAINWALK_FIBERS_UNDER_ASAN)
#define CHAINWALK_INLINE_SWITCH 1
#endif
#endif

namespace chainwalk::emulator {

// A run of slots, mapped once and used again by every cluster that a worker runs.
class Stacks {
 public:
  Stacks() = default;
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  // At least `count` slots. Slots and their addresses change when it grows: no fiber may be alive.
  // Throws std::bad_alloc.
  void reserve(std::size_t count);
  Lane* lane(std::size_t index) const { return lane_of_slot(base_ + index * slot_bytes); }

 private:
  void release() noexcept;

  void* mapping_ = nullptr;
  std::size_t mapping_bytes_ = 0;
  std::uintptr_t base_ = 0;
  std::size_t count_ = 0;
};

// The lane `distance` slots further on in the same run.
inline Lane& neighbour(const Lane& lane, std::int64_t distance) {
  const std::uintptr_t slot = reinterpret_cast<std::uintptr_t>(&lane) & ~(slot_bytes - 1);
  return *lane_of_slot(slot + static_cast<std::uintptr_t>(distance) * slot_bytes);
}

// What a suspended context is: a stack pointer, and what AddressSanitizer wants to know of it.
struct HostContext {
  void* stack_pointer = nullptr;
  const void* stack_bottom = nullptr;
  std::size_t stack_size = 0;
};

using FiberEntry = void (*)(Lane& lane);  // never returns

// Makes `lane` ready to be switched to; `entry` runs on its stack. The lane's fields stay.
void prepare_fiber(Lane& lane, FiberEntry entry);

// To be called first by an entry; `host` keeps the bounds of the stack it came from.
void fiber_entered(HostContext* host);

#if defined(CHAINWALK_ASSEMBLY_FIBERS)
// Leaves the running context behind `save` and goes on with `load`. Inlined, so that calls and
// returns stay balanced for the processor's return predictor: a function that came back elsewhere
// would make every return after it a misprediction. The compiler keeps what it needs of the named
// registers; the stack holds the frame pointer, and where to go on.
inline __attribute__((always_inline)) void switch_stacks(void** save, void* load) {
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // past the red zone
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, (%0)\n\t"
      "movq %1, %%rsp\n\t"
      "popq %%rax\n\t"
      "jmpq *%%rax\n"
      "1:\n\t"
      "popq %%rbp\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : "+D"(save), "+S"(load)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}
#endif

#if defined(CHAINWALK_INLINE_SWITCH)
inline __attribute__((always_inline)) void switch_lanes(Lane& from, Lane& to) {
  switch_stacks(&from.stack_pointer, to.stack_pointer);
}
#else
void switch_lanes(Lane& from, Lane& to);
#endif
void enter_fiber(HostContext& host, Lane& to);  // returns when a lane leaves to this host
// Whether the calling OS thread is on a fiber: instrumented code may also run on its own stack,
// where there is no lane to find.
bool runs_fiber() noexcept;
// `last`: the fiber will not be resumed.
void leave_fiber(Lane& from, HostContext& host, bool last);
[[noreturn]] void finish_into(Lane& from, Lane& to);  // `from` has ended

}  // namespace chainwalk::emulator
