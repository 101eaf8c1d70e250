// SPDX-License-Identifier: Apache-2.0
// Every access to global memory: bounds, alignment, what may be written, and what a dependent
// launch may touch before its wait.
#include "src/findings.h"
#include "src/watch_state.h"

// Bounds of this program or library in memory, from the linker.
extern "C" {
extern const char __ehdr_start __attribute__((visibility("hidden")));
extern const char _end __attribute__((visibility("hidden")));
}

namespace chainwalk::emulator {
namespace {

std::string size_and_verb(bool write, std::uint32_t bytes) {
  return std::string(write ? "writes " : "reads ") + std::to_string(bytes) + " bytes";
}

bool inside(std::uintptr_t address, std::uint32_t bytes, const void* begin, const void* end) {
  return address >= reinterpret_cast<std::uintptr_t>(begin) &&
         address + bytes <= reinterpret_cast<std::uintptr_t>(end);
}

bool is_constant(const Launch& launch, std::uintptr_t address, std::uint32_t bytes) {
  return inside(address, bytes, launch.parameters, launch.parameters + 1) ||
         inside(address, bytes, &__ehdr_start, &_end);
}

void check_sources(const Watch& watch, Lane& lane, std::uintptr_t address, std::uint32_t bytes,
                   const void* site) {
  for (const BulkCopy& copy : watch.sources) {
    const auto source = reinterpret_cast<std::uintptr_t>(copy.source);
    for (std::int64_t row = copy.valid_first_row; row < copy.valid_rows_end; ++row) {
      const std::uintptr_t begin =
          source + static_cast<std::uintptr_t>(row * copy.source_stride + copy.valid_low);
      const auto length = static_cast<std::uintptr_t>(copy.valid_high - copy.valid_low);
      if (address + bytes <= begin || address >= begin + length) continue;
      accuse(lane, {.kind = "copy-source-changed",
                    .what = "writes the source of a copy that is in flight",
                    .address = reinterpret_cast<const void*>(address),
                    .other_party = "block " + std::to_string(copy.block->index) + " thread " +
                                   std::to_string(copy.thread) + " at " + describe_site(copy.site) +
                                   " (copy)",
                    .site = site});
    }
  }
}

}  // namespace

void Watch::access_global(Lane& lane, std::uintptr_t address, std::uint32_t bytes, bool write,
                          const void* site) {
  const auto* place = reinterpret_cast<const void*>(address);
  const std::span<const Buffer> buffers = global->buffers();
  std::size_t index = 0;
  while (index < buffers.size() &&
         address - reinterpret_cast<std::uintptr_t>(buffers[index].data) >= buffers[index].bytes) {
    ++index;
  }
  const Launch& launch = *cluster->launch;
  if (index == buffers.size()) {
    if (!write && is_constant(launch, address, bytes)) return;
    accuse(lane, {.kind = "out-of-bounds",
                  .what = size_and_verb(write, bytes) + " outside every buffer",
                  .address = place,
                  .site = site});
  }
  const Buffer& buffer = buffers[index];
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(buffer.data);
  if (offset + bytes > buffer.bytes) {
    accuse(lane, {.kind = "out-of-bounds",
                  .what = size_and_verb(write, bytes) + " across the end of " + buffer.name,
                  .address = place,
                  .site = site});
  }
  if (launch.dependent && !lane.dependent_waited && launch.unfinished != nullptr &&
      launch.unfinished->data == buffer.data) {
    accuse(lane, {.kind = "access-before-dependent-wait",
                  .what = size_and_verb(write, bytes) + " of " + buffer.name +
                          ", which an unfinished launch writes, before the dependent-launch wait",
                  .address = place,
                  .site = site});
  }
  if (write && !buffer.writable) {
    accuse(lane, {.kind = "read-only-write",
                  .what = size_and_verb(write, bytes) + " of " + buffer.name +
                          ", which no launch may write",
                  .address = place,
                  .site = site});
  }
  if (write && !sources.empty()) check_sources(*this, lane, address, bytes, site);
  if (buffer.writable) global->access(lane, index, address, bytes, write, site_of(site));
}

}  // namespace chainwalk::emulator
