// SPDX-License-Identifier: Apache-2.0
// What the family supports, and why not (GEO-8).
#include "arithmetic.h"
#include "chainwalk/plan/tiling.h"
#include "choose.h"
#include "serve.h"
#include "shape_sizes.h"

namespace chainwalk::plan {

Outcome check_shape(const ProblemShape& shape) {
  if (shape.chunk_size < 1 || shape.chunk_size > 256) {
    return refuse(Check::pln1_chunk_size, "chunk_size is {}; it must be in 1..256",
                  shape.chunk_size);
  }
  if (shape.head_dim < 1 || shape.head_dim > max_head_dim) {
    return refuse(Check::pln1_head_dim, "head_dim is {}; it must be in 1..{}", shape.head_dim,
                  max_head_dim);
  }
  if (shape.slots < 0 || shape.slots > int32_greatest) {
    return refuse(Check::pln1_slots, "slots is {}; it must be in 0..{}", shape.slots,
                  int32_greatest);
  }
  if (shape.num_parallel < 1 || shape.num_parallel > int32_greatest) {
    return refuse(Check::pln1_num_parallel, "num_parallel is {}; it must be in 1..{}",
                  shape.num_parallel, int32_greatest);
  }
  if (shape.positions < 0 || shape.positions > greatest_positions) {
    return refuse(Check::pln1_positions, "positions is {}; it must be in 0..{}", shape.positions,
                  greatest_positions);
  }
  return std::nullopt;
}

Outcome check_chosen(const device::KernelTraits* kernel, const LaunchGeometry& launch,
                     const DeviceClass& device, const GeometryWish& wish) {
  if (auto refusal = check_launch(*kernel, launch, device, wish, false)) {
    return refusal;
  }
  if (launch.grid_blocks > int32_greatest) {
    return refuse(Check::pln6_grid, "the launch takes over {} blocks; it must take at most that",
                  int32_greatest);
  }
  return check_device_class(kernel, device, wish);
}

std::variant<std::vector<MemberSupport>, Refusal> query_members(const ProblemShape& shape,
                                                                const DeviceClass& device,
                                                                const GeometryWish& wish) {
  if (auto refusal = check_shape(shape)) {
    return *refusal;
  }
  const Sizes sizes = sizes_of(shape);
  std::vector<MemberSupport> result;
  for (std::size_t i = 0; i < device::kernel_count; ++i) {
    const device::KernelTraits& kernel = device::kernel_family[i];
    auto reason = why_not_serving(kernel, sizes);
    if (!reason) {
      reason = why_not_wished(kernel, wish);
    }
    if (!reason) {
      if (auto refusal = check_chosen(&kernel, launch_of(kernel, sizes), device, wish)) {
        reason = refusal->message;
      }
    }
    result.push_back({i, !reason, reason.value_or("")});
  }
  return result;
}

Support query(Capability capability, const ProblemShape& shape, const DeviceClass& device) {
  ProblemShape asked = shape;
  if (auto refusal = check_shape(asked)) {
    return {false, refusal->message};
  }
  const Head head = make_head(asked.head_dim, asked.bank_type);
  switch (capability) {
    case Capability::walk: asked.snapshot = SnapshotForm::none; break;
    case Capability::tail:
      if (head.head_class == HeadClass::regular) {
        return {false, fmt::format("GEO-2: head_dim {} is regular, not a tail", head.head_dim)};
      }
      asked.snapshot = SnapshotForm::none;
      break;
    case Capability::bf16_rows: asked.snapshot = SnapshotForm::bf16; break;
    case Capability::quantized:
      if (!is_quantized(asked.snapshot)) {
        asked.snapshot = SnapshotForm::fp8;
      }
      break;
  }
  if (asked.snapshot == SnapshotForm::bf16 && asked.bank_type != BankType::f32) {
    return {false, "PLN-3: bank elements are bf16; bf16 rows need an f32 bank"};
  }
  const auto tiling = choose_tiling(asked, device);
  if (const auto* refusal = std::get_if<Refusal>(&tiling)) {
    return {false, refusal->message};
  }
  return {true, std::get<Tiling>(tiling).why};
}

}  // namespace chainwalk::plan
