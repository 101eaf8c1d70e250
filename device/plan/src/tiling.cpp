// SPDX-License-Identifier: Apache-2.0
// Tile lengths, warps and blocks for a device (GEO-5, TIL-3).
#include "chainwalk/plan/tiling.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "arithmetic.h"
#include "choose.h"
#include "family_plan.h"
#include "policy.h"
#include "shape_sizes.h"

namespace chainwalk::plan {
namespace {

using device::Form;

struct Cut {
  Form form;
  std::int64_t warps;   // nw
  std::int64_t blocks;  // K
};

std::int64_t blocks_for(std::int64_t positions, std::int64_t length, std::int64_t warps) {
  return std::max<std::int64_t>(1, ceil_divide(positions, length * warps));
}

// The power of two nearest to a value in ratio, at least 1.
std::int64_t nearest_power_of_two(double value) {
  return std::int64_t{1} << static_cast<unsigned>(std::lround(std::log2(std::max(value, 1.0))));
}

// A tile for every row that the warps of an SM hold at once: fewer leave it idle, more start late.
// Lanes hold 16 columns or more of a row; a long tile's own chain of groups is a wait of its own.
// Shorter ones serve a stream alone whose rows take a warp each, and bf16 rows with snapshots of
// many streams: what is written at once then lies close together.
Cut rows_cut(const Sizes& sizes, const DeviceClass& device) {
  constexpr double columns_per_sm = 16.0 * 1024.0;
  const bool bf16 = sizes.bank_type == BankType::bf16;
  const double most_rows = is_quantized(sizes.form) ? 64.0 : 128.0;
  const std::int64_t shortest = sizes.head.head_dim >= 1024 ? 2 : 4;
  std::int64_t longest = bf16 ? 16 : 8;
  const double per_sm = static_cast<double>(sizes.positions) *
                        static_cast<double>(sizes.num_parallel) / device.multiprocessors;
  const double rows =
      std::min(columns_per_sm / static_cast<double>(sizes.head.head_dim), most_rows);
  const double length = per_sm / rows;
  if (bf16 && sizes.form != SnapshotForm::none && length > 48.0) {
    longest = is_quantized(sizes.form) ? 8 : 4;
  }
  return {
      Form::rows, 8,
      blocks_for(sizes.positions, std::clamp(nearest_power_of_two(length), shortest, longest), 8)};
}

std::int64_t token_bytes(const Sizes& sizes, std::int64_t slices) {
  return ceil_divide(sizes.chunk_size * sizes.head.slice_width * slices * 4, 128) * 128;
}

std::int64_t sliced_warps(const Sizes& sizes, const DeviceClass& device, std::int64_t slices) {
  constexpr std::int64_t kib = 1024;
  const std::int64_t tokens = token_bytes(sizes, slices);
  if (slices == 2) {
    return tokens + 8 * 512 + 8 <= 112 * kib ? 8 : 16;
  }
  const bool two_fit = 2 * (tokens + 8 * 512 + 8) <= device.shared_per_sm;
  return tokens >= 96 * kib || !two_fit ? 16 : 8;
}

Cut sliced_cut(const Sizes& sizes, const DeviceClass& device, Form form) {
  const std::int64_t slices = form == Form::two_slices ? 2 : 1;
  const std::int64_t warps = sliced_warps(sizes, device, slices);
  const std::int64_t streams = sizes.num_parallel * ceil_divide(sizes.head.slices, slices);
  const auto wanted = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max(1, 16 * device.multiprocessors))));
  std::int64_t length = slices == 2 ? 64 : 128;
  const std::int64_t shortest = slices == 2 ? 16 : 32;
  while (length > shortest &&
         streams * blocks_for(sizes.positions, length, warps) * warps < wanted) {
    length /= 2;
  }
  std::int64_t blocks = blocks_for(sizes.positions, length, warps);
  const std::int64_t wave = device.multiprocessors * (warps == 8 ? 2 : 1);
  const std::int64_t grid = streams * blocks;
  if (slices == 2 && grid < wave && 2 * grid >= wave) {
    blocks = std::max(blocks, wave / streams);
  }
  if (is_quantized(sizes.form) && grid > wave && grid <= 2 * wave) {
    const std::int64_t fewest = blocks_for(sizes.positions, 128, warps);
    blocks = std::max(fewest, wave / streams);
  }
  return {form, warps, blocks};
}

}  // namespace

std::variant<Tiling, Refusal> choose_tiling_of(Family family, const ProblemShape& shape,
                                               const DeviceClass& device,
                                               const GeometryWish& wish) {
  if (auto refusal = check_shape(shape)) {
    return *refusal;
  }
  Sizes sizes = sizes_of(shape);
  std::vector<Cut> cuts{rows_cut(sizes, device)};
  for (const Form form : {Form::two_slices, Form::slices}) {
    if (form == Form::slices || sizes.head.slices % 2 == 0) {
      cuts.push_back(sliced_cut(sizes, device, form));
    }
  }
  if (mean_group_bound(sizes) >= whole_rows_group_limit(sizes)) {
    std::ranges::rotate(cuts, cuts.begin() + 1);
  }
  std::optional<Refusal> first;
  std::optional<Tiling> fallback;
  for (const Cut& cut : cuts) {
    sizes.warps = cut.warps;
    sizes.blocks = cut.blocks;
    auto chosen = choose_kernel(family, sizes, wish, device, false);
    if (auto* refusal = std::get_if<Refusal>(&chosen)) {
      first = first ? first : *refusal;
      continue;
    }
    auto& choice = std::get<Choice>(chosen);
    if (auto refusal = check_chosen(&family[choice.kernel], choice.launch, device, wish)) {
      first = first ? first : refusal;
      continue;
    }
    const bool as_meant = family[choice.kernel].form == cut.form;
    Tiling tiling{cut.warps, cut.blocks, choice.kernel, choice.launch, std::move(choice.why)};
    if (as_meant) {
      return tiling;
    }
    fallback = fallback ? fallback : std::move(tiling);
  }
  if (fallback) {
    return *fallback;
  }
  return *first;
}

std::variant<Tiling, Refusal> choose_tiling(const ProblemShape& shape, const DeviceClass& device,
                                            const GeometryWish& wish) {
  return choose_tiling_of(device::kernel_family, shape, device, wish);
}

}  // namespace chainwalk::plan
