// SPDX-License-Identifier: Apache-2.0
// How to cut a chunk into tiles for a device, before tile bounds exist (GEO-4, GEO-5), and what the
// family supports (GEO-8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "chainwalk/plan/plan.h"

namespace chainwalk::plan {

// nw and K for a problem, with the member that make_plan takes for them.
struct Tiling {
  std::int64_t warps_per_block = 0;
  std::int64_t blocks_per_chunk = 0;
  std::size_t kernel = 0;  // index into device::kernel_family
  LaunchGeometry launch;
  std::string why;  // a sentence
};

// Looks at the sizes of `shape` only; its warps_per_block and blocks_per_chunk are not read. Sizes
// are in the ranges of PLN-1 (else that check's refusal), P >= 1. The refusal is QNT-9's, GEO-8's
// or PLN-6's, as make_plan would give it.
std::variant<Tiling, Refusal> choose_tiling(const ProblemShape& shape, const DeviceClass& device,
                                            const GeometryWish& wish = {});

// Whether one member serves a shape on a device; `reason` is empty where it does.
struct MemberSupport {
  std::size_t kernel = 0;
  bool supported = false;
  std::string reason;
};

// GEO-8: every member, in the order of family.def, with the reason of each that cannot. The tiling
// is the shape's. Sizes as choose_tiling.
std::variant<std::vector<MemberSupport>, Refusal> query_members(const ProblemShape& shape,
                                                                const DeviceClass& device,
                                                                const GeometryWish& wish = {});

// GEO-8: what a bank, chunk and form can have on a device.
enum class Capability : std::uint8_t { walk, tail, bf16_rows, quantized };
struct Support {
  bool supported = false;
  std::string reason;  // the member, or why none
};
Support query(Capability capability, const ProblemShape& shape, const DeviceClass& device);

}  // namespace chainwalk::plan
