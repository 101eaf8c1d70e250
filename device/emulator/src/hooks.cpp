// SPDX-License-Identifier: Apache-2.0
// The entry points that the checked build of the kernels calls at every access. They never throw: a
// finding leaves the fiber for good.
#include <cstddef>
#include <cstdint>

#include "src/fiber.h"
#include "src/findings.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {

constexpr std::uint64_t access_budget = std::uint64_t{1} << 34U;  // of a cluster
constexpr std::uint32_t preemption_spread = 64;

void check_access(Lane& lane, std::uintptr_t address, std::uint32_t bytes, bool write,
                  const void* site) {
  Cluster& cluster = cluster_of(lane);
  Watch& watch = *cluster.watch;
  if (++watch.accesses > access_budget) {
    accuse(lane, {.kind = "step-budget",
                  .what = "takes its cluster past 2^34 accesses: a loop without end",
                  .site = site});
  }
  if (lane.until_preemption != 0 && --lane.until_preemption == 0) {
    draw_preemption(cluster, lane);
    suspend(lane);
  }
  const auto* place = reinterpret_cast<const void*>(address);
  if ((bytes & (bytes - 1)) == 0 && bytes <= 16 && address % bytes != 0) {
    accuse(lane, {.kind = "misaligned",
                  .what = std::string(write ? "writes " : "reads ") + std::to_string(bytes) +
                          " bytes at an address that is not a multiple of it",
                  .address = place,
                  .site = site});
  }
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(lane.shared);
  if (offset < cluster.shared_stride) {
    watch.access_shared(lane, static_cast<std::uint32_t>(offset), bytes, write, site);
  } else {
    watch.access_global(lane, address, bytes, write, site);
  }
}

__attribute__((noinline)) void on_access(std::uintptr_t address, std::uint32_t bytes, bool write,
                                         const void* site) {
  if (!runs_fiber()) return;
  Lane& lane = this_lane();
  bool abandoned = false;
  try {
    check_access(lane, address, bytes, write, site);
  } catch (const Abandoned&) {
    abandoned = true;
  }
  if (abandoned) stop_cluster(lane);
}

// Private memory (the lane's own stack, and what the emulator keeps of it) is nobody else's.
inline __attribute__((always_inline)) void on_access_from(const void* address, std::size_t bytes,
                                                          bool write, const void* site) {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  if ((here ^ place) < slot_bytes) return;
  on_access(place, static_cast<std::uint32_t>(bytes), write, site);
}

}  // namespace

void draw_preemption(Cluster& cluster, Lane& lane) {
  lane.until_preemption = cluster.choices.choose(preemption_spread);
}

}  // namespace chainwalk::emulator

using chainwalk::emulator::on_access_from;

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler chose the names.
extern "C" {
void __tsan_init() {}
#define CW_HOOKS(size)                                                 \
  void __tsan_read##size(void* address) {                              \
    on_access_from(address, size, false, __builtin_return_address(0)); \
  }                                                                    \
  void __tsan_write##size(void* address) {                             \
    on_access_from(address, size, true, __builtin_return_address(0));  \
  }                                                                    \
  void __tsan_unaligned_read##size(void* address) {                    \
    on_access_from(address, size, false, __builtin_return_address(0)); \
  }                                                                    \
  void __tsan_unaligned_write##size(void* address) {                   \
    on_access_from(address, size, true, __builtin_return_address(0));  \
  }
CW_HOOKS(1)
CW_HOOKS(2)
CW_HOOKS(4)
CW_HOOKS(8)
CW_HOOKS(16)
#undef CW_HOOKS
void __tsan_read_range(void* address, std::size_t bytes) {
  on_access_from(address, bytes, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, std::size_t bytes) {
  on_access_from(address, bytes, true, __builtin_return_address(0));
}
}
// NOLINTEND(bugprone-reserved-identifier)
