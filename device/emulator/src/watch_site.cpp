// SPDX-License-Identifier: Apache-2.0
// Places in the program as 32-bit numbers, and the parties of recorded accesses.
#include "src/findings.h"
#include "src/watch_state.h"

namespace chainwalk::emulator {
namespace {
// Any address of the program does: code lies within 2 GiB of itself.
std::uintptr_t anchor() { return reinterpret_cast<std::uintptr_t>(&site_of); }
}  // namespace

std::uint32_t site_of(const void* return_address) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address) - anchor());
}
const void* address_of_site(std::uint32_t site) {
  return reinterpret_cast<const void*>(
      anchor() + static_cast<std::uintptr_t>(std::int64_t{static_cast<std::int32_t>(site)}));
}

std::string describe_party(const Lane& lane, const Access& access, const char* what) {
  std::string text = "block " + std::to_string(lane.block_index);
  if (access.actor == peer_actor) {
    text = "a peer block";
  } else if (access.actor >= first_barrier_actor) {
    const auto barrier = static_cast<std::size_t>(access.actor - first_barrier_actor);
    text += ", a copy that completes on the barrier at shared+" +
            std::to_string(lane.block->barriers[barrier].offset);
  } else {
    text +=
        " warp " + std::to_string(access.actor / 32) + " lane " + std::to_string(access.actor % 32);
  }
  const std::string site = describe_site(address_of_site(access.site));
  if (!site.empty()) text += " at " + site;
  return text + " (" + what + ")";
}

}  // namespace chainwalk::emulator
