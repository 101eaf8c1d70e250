// SPDX-License-Identifier: Apache-2.0
// How a finding is made: the lane, the place and both parties are filled in from the running state.
#pragma once

#include <string>

#include "src/cluster.h"

namespace chainwalk::emulator {

struct Accusation {
  const char* kind;
  std::string what;               // a clause: "writes 16 bytes past the end"
  const void* address = nullptr;  // named as buffer+offset
  std::string other_party = {};
  const void* site = nullptr;  // null: where the lane entered its primitive
};

// Unwinds a fiber whose cluster is abandoned; caught where the fiber began.
struct Abandoned {};

// Reports on behalf of `lane` from the running fiber: throws Abandoned.
[[noreturn]] void accuse(Lane& lane, Accusation accusation);
// Reports without a running lane (end of a launch, the scheduler); `lane` says who is concerned.
Finding make_finding(const Lane& lane, const Accusation& accusation);
// The same for a thread of a launch that has ended.
Finding make_launch_finding(const Launch& launch, std::int64_t block, std::int32_t thread,
                            const Accusation& accusation);

std::string describe_lane(const Lane& lane);                          // "block 3 warp 1 lane 7"
std::string describe_site(const void* return_address);                // "file.h:12", or empty
std::string describe_address(const Lane& lane, const void* address);  // "bank+128"

}  // namespace chainwalk::emulator
