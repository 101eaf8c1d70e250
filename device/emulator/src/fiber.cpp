// SPDX-License-Identifier: Apache-2.0
// Stacks, and the ends of fibers. Where there is no assembly, Boost.Context switches;
// AddressSanitizer is told of every switch.
#include "src/fiber.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#ifdef CHAINWALK_FIBERS_UNDER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(CHAINWALK_ASSEMBLY_FIBERS)
#include <boost/context/detail/fcontext.hpp>
#endif

namespace chainwalk::emulator {

#if !defined(CHAINWALK_ASSEMBLY_FIBERS)
namespace {
using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;
// The context that a jump came from is written to where the leaving side keeps it.
void switch_stacks(void** save, void* load) {
  const transfer_t back = jump_fcontext(load, save);
  *static_cast<void**>(back.data) = back.fctx;
}
}  // namespace
#endif

namespace {

std::uintptr_t slot_of(const Lane& lane) {
  return reinterpret_cast<std::uintptr_t>(&lane) & ~(slot_bytes - 1);
}

#ifdef CHAINWALK_FIBERS_UNDER_ASAN
void before_switch(void** fake, const void* bottom, std::size_t size) {
  __sanitizer_start_switch_fiber(fake, bottom, size);
}
void before_switch(void** fake, const Lane& to) {
  before_switch(fake, reinterpret_cast<const void*>(slot_of(to) + 2 * page_bytes),
                slot_bytes - 2 * page_bytes);
}
void after_switch(void* fake, HostContext* host) {
  __sanitizer_finish_switch_fiber(fake, host != nullptr ? &host->stack_bottom : nullptr,
                                  host != nullptr ? &host->stack_size : nullptr);
}
#else
void before_switch(void**, const void*, std::size_t) {}
void before_switch(void**, const Lane&) {}
void after_switch(void*, HostContext*) {}
#endif

// Set by the host that runs a cluster's fibers; a cluster stays on one OS thread while they run.
thread_local bool on_fiber = false;

FiberEntry& entry_of(Lane& lane) {
  // The top word of a stack holds what the fiber will run.
  return *reinterpret_cast<FiberEntry*>(slot_of(lane) + slot_bytes - colour_of(slot_of(lane)) - 16);
}
void start() {
  Lane& lane = this_lane();
  entry_of(lane)(lane);
  std::abort();
}
#if !defined(CHAINWALK_ASSEMBLY_FIBERS)
void start_context(transfer_t from) {
  *static_cast<void**>(from.data) = from.fctx;
  start();
}
#endif

}  // namespace

Stacks::~Stacks() { release(); }

void Stacks::release() noexcept {
  if (mapping_ != nullptr) ::munmap(mapping_, mapping_bytes_);
  mapping_ = nullptr;
  count_ = 0;
}

void Stacks::reserve(std::size_t count) {
  if (count <= count_) return;
  release();
  mapping_bytes_ = (count + 1) * slot_bytes;
  void* mapping = ::mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  mapping_ = mapping;
  base_ = (reinterpret_cast<std::uintptr_t>(mapping) + slot_bytes - 1) & ~(slot_bytes - 1);
  for (std::size_t index = 0; index < count; ++index) {
    void* guard = reinterpret_cast<void*>(base_ + index * slot_bytes + page_bytes);
    if (::mprotect(guard, page_bytes, PROT_NONE) != 0) {
      release();
      throw std::bad_alloc();
    }
    new (lane_of_slot(base_ + index * slot_bytes)) Lane();
  }
  count_ = count;
}

void prepare_fiber(Lane& lane, FiberEntry entry) {
  const std::uintptr_t slot = slot_of(lane);
  entry_of(lane) = entry;
  const std::uintptr_t top = slot + slot_bytes - colour_of(slot) - 64;
#if defined(CHAINWALK_ASSEMBLY_FIBERS)
  // The address to start at, and a null return address that ends backtraces.
  auto* words = reinterpret_cast<std::uintptr_t*>(top - 16);
  words[0] = reinterpret_cast<std::uintptr_t>(&start);
  words[1] = 0;
  lane.stack_pointer = words;
#else
  lane.stack_pointer =
      make_fcontext(reinterpret_cast<void*>(top), top - slot - 2 * page_bytes, &start_context);
#endif
}

void fiber_entered(HostContext* host) { after_switch(nullptr, host); }

#if !defined(CHAINWALK_INLINE_SWITCH)
void switch_lanes(Lane& from, Lane& to) {
  void* fake = nullptr;
  before_switch(&fake, to);
  switch_stacks(&from.stack_pointer, to.stack_pointer);
  after_switch(fake, nullptr);
}
#endif

// Not inlined, so that its address of the flag is never one that was kept across a switch.
__attribute__((noinline)) bool runs_fiber() noexcept { return on_fiber; }

void enter_fiber(HostContext& host, Lane& to) {
  void* fake = nullptr;
  before_switch(&fake, to);
  on_fiber = true;
  switch_stacks(&host.stack_pointer, to.stack_pointer);
  on_fiber = false;
  after_switch(fake, nullptr);
}

void leave_fiber(Lane& from, HostContext& host, bool last) {
  void* fake = nullptr;
  before_switch(last ? nullptr : &fake, host.stack_bottom, host.stack_size);
  switch_stacks(&from.stack_pointer, host.stack_pointer);
  after_switch(fake, &host);
}

void finish_into(Lane& from, Lane& to) {
  before_switch(nullptr, to);
  switch_stacks(&from.stack_pointer, to.stack_pointer);
  std::abort();
}

}  // namespace chainwalk::emulator
