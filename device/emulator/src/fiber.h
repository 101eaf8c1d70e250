// SPDX-License-Identifier: Apache-2.0
// Fibers: stacks with guard pages, and the switch between two of them (about 10 ns on x86-64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "machine/lane.h"

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

void switch_lanes(Lane& from, Lane& to);
void enter_fiber(HostContext& host, Lane& to);  // returns when a lane leaves to this host
// Whether the calling OS thread is on a fiber: instrumented code may also run on its own stack,
// where there is no lane to find.
bool runs_fiber() noexcept;
// `last`: the fiber will not be resumed.
void leave_fiber(Lane& from, HostContext& host, bool last);
[[noreturn]] void finish_into(Lane& from, Lane& to);  // `from` has ended

}  // namespace chainwalk::emulator
