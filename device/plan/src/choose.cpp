// SPDX-License-Identifier: Apache-2.0
// The choice of a member (GEO-4, GEO-5, GEO-8) and what a device says of its launch (PLN-6).
#include "choose.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "arithmetic.h"
#include "geometry.h"
#include "policy.h"
#include "serve.h"

namespace chainwalk::plan {
namespace {

using device::BaseSource;
using device::Form;
using device::HeadSupport;
using device::Image;
using device::KernelTraits;
using device::Quantizing;

bool prefers_whole_rows(const Sizes& sizes, const DeviceClass& device) {
  if (mean_group_bound(sizes) >= whole_rows_group_limit(sizes)) {
    return false;
  }
  if (sizes.head.slices == 1) {
    return true;  // a slice is the row: there is nothing to spread over more warps
  }
  const auto tiles = product({sizes.num_parallel, sizes.warps, sizes.blocks});
  const std::int64_t wanted = whole_rows_warps_per_sm * device.multiprocessors;
  const bool enough = !tiles || *tiles >= wanted;
  const bool tiles_are_short =
      product_within(sizes.warps * short_tile, sizes.blocks, int64_greatest) &&
      sizes.warps * short_tile * sizes.blocks >= sizes.positions;
  return enough || tiles_are_short;
}

// TIL-3: surely within what a cluster's blocks can hold, whatever the tile set is.
bool cluster_surely_holds(const Sizes& sizes) { return sizes.positions <= 128 * sizes.warps; }

int quantizing_rank(const KernelTraits& kernel, const Sizes& sizes) {
  switch (kernel.quantizing) {
    case Quantizing::none:
    case Quantizing::whole_row:
    case Quantizing::in_walk: return 0;
    case Quantizing::cluster: return cluster_surely_holds(sizes) ? 1 : 3;
    case Quantizing::all_slices: break;
  }
  return 2;
}

// Columns that the lanes of a row walk over the columns that it has, and how narrow their accesses
// are: what a member of the rows form wastes on a head.
double rows_cost(const KernelTraits& kernel, const Sizes& sizes) {
  const auto head_dim = static_cast<std::int32_t>(sizes.head.head_dim);
  const device::RowsShape shape = device::rows_shape(kernel, head_dim);
  const double parts = shape.team > 1 ? shape.team * shape.passes : shape.parts;
  const double walked = parts * shape.lanes * kernel.columns_per_lane;
  const double bytes =
      device::vector_columns(kernel) * static_cast<double>(element_size(kernel.bank));
  const double narrow = std::min(bytes, 16.0) / 16.0;
  // Every lane of a row joins its amax and makes its scale once a group.
  const double joins = is_quantized(sizes.form) ? 0.01 * shape.lanes : 0.0;
  // Every part reads the records again; more passes read the row again.
  return walked / head_dim / narrow *
         (1.0 + joins + 0.1 * (parts - 1.0) + 0.5 * (shape.passes - 1));
}

// Lower is better, field by field.
auto preference(const KernelTraits& kernel, const Sizes& sizes, const DeviceClass& device) {
  const bool rows = kernel.form == Form::rows;
  const int form = rows == prefers_whole_rows(sizes, device) ? 0 : 1;
  const int source = kernel.source == BaseSource::bank_direct ? 0 : 1;
  const int image = kernel.image == Image::async ? 0 : 1;
  const int slices = kernel.form == Form::two_slices ? 0 : 1;
  const int mask = kernel.head == HeadSupport::regular_full ? 0 : 1;
  return std::tuple(form, quantizing_rank(kernel, sizes), rows ? rows_cost(kernel, sizes) : 0.0,
                    image, slices, source, mask, -device::vector_columns(kernel),
                    kernel.offset_bits);
}

std::string explain(const KernelTraits& kernel, const Sizes& sizes, const GeometryWish& wish,
                    const DeviceClass& device) {
  if (wish.kernel) {
    return fmt::format("{} was asked for", kernel.name);
  }
  const double bound = mean_group_bound(sizes);
  const bool rows = kernel.form == Form::rows;
  std::string reason;
  if (rows == prefers_whole_rows(sizes, device)) {
    reason = rows ? fmt::format(
                        "whole rows read each bank row once, and groups may be as short as "
                        "{:.2g} members on average",
                        std::max(bound, 1.0))
             : bound >= whole_rows_group_limit(sizes)
                 ? fmt::format(
                       "groups have {:.1f} members or more on average, so token rows belong "
                       "in shared memory",
                       bound)
                 : "the tiles are too few for whole rows, so the slices of a row walk side by side";
  } else {
    reason = rows ? "no column-sliced member serves this" : "no whole-row member serves this";
  }
  return fmt::format("{} on {}: {}", kernel.name, device.name, reason);
}

Refusal refuse_all(Family family, const Sizes& sizes, const GeometryWish& wish) {
  const bool sliced_wish = wish.quantizing == Quantizing::cluster ||
                           wish.quantizing == Quantizing::all_slices ||
                           wish.quantizing == Quantizing::in_walk;
  const Kernel forced = forced_kernel(family, wish);
  const bool sliced_forced = forced != nullptr && forced->form != Form::rows;
  if (is_quantized(sizes.form) && (sliced_wish || sliced_forced || !wish.kernel)) {
    if (auto reason = why_not_sliced_quantizing(sizes)) {
      return refuse(Check::qnt9_head, "{}, and no whole-row member serves this", *reason);
    }
  }
  if (wish.kernel) {
    if (forced == nullptr) {
      return refuse(Check::geo8_form, "kernel {} is not of the family of {} members", *wish.kernel,
                    family.size());
    }
    const auto reason = why_not_serving(*forced, sizes);
    return refuse(Check::geo8_form, "kernel {} cannot serve this: {}", forced->name,
                  reason ? *reason : why_not_wished(*forced, wish).value_or(""));
  }
  std::string nearest = "the family has no such member";
  for (const KernelTraits& kernel : family) {
    const auto unwished = why_not_wished(kernel, wish);
    const auto reason = why_not_serving(kernel, sizes);
    if (!reason && unwished) {
      nearest = fmt::format("{} would serve it, but {}", kernel.name, *unwished);
      break;
    }
    if (reason && !unwished && kernel.bank == sizes.bank_type && kernel.snapshot == sizes.form) {
      nearest = fmt::format("{}: {}", kernel.name, *reason);
    }
  }
  return refuse(Check::geo8_form,
                "no member of the family walks {} banks of head_dim {} with {} rows as asked; {}",
                to_string(sizes.bank_type), sizes.head.head_dim, to_string(sizes.form), nearest);
}

}  // namespace

Outcome check_launch(const KernelTraits& kernel, const LaunchGeometry& launch,
                     const DeviceClass& device, const GeometryWish& wish, bool empty) {
  const std::int64_t cap = std::min(device.shared_cap, wish.shared_cap.value_or(device.shared_cap));
  if (launch.shared_bytes > cap) {
    return refuse(Check::pln6_shared, "kernel {} takes {} bytes of shared memory; the cap is {}",
                  kernel.name, launch.shared_bytes, cap);
  }
  if (launch.cluster_blocks > greatest_cluster_blocks) {
    return refuse(Check::pln6_cluster_size, "kernel {} takes clusters of {} blocks; {} is the most",
                  kernel.name, launch.cluster_blocks, greatest_cluster_blocks);
  }
  if (!empty && kernel.image == Image::async && launch.cluster_blocks > device.max_cluster) {
    return refuse(Check::pln6_cluster_capacity,
                  "kernel {} takes clusters of {} blocks; {} holds clusters of at most {}",
                  kernel.name, launch.cluster_blocks, device.name, device.max_cluster);
  }
  return std::nullopt;
}

Outcome check_device_class(const device::KernelTraits* kernel, const DeviceClass& device,
                           const GeometryWish& wish) {
  if (kernel != nullptr && kernel->image == device::Image::async && !device.async_image) {
    return refuse(
        Check::pln6_image,
        "kernel {} is of the async image; {} (compute capability {}) runs the portable one",
        kernel->name, device.name, capability_text(device.compute_capability));
  }
  if (!wish.override_device_class && !class_of(device.compute_capability, device.multiprocessors)) {
    return refuse(
        Check::pln6_device_class,
        "{} has compute capability {}, which is not known; it must be 8.0, 8.6, 8.9, 9.0, "
        "10.0, 10.3 or 12.0, or the override must be given, which runs the portable image",
        device.name, capability_text(device.compute_capability));
  }
  return std::nullopt;
}

std::variant<Choice, Refusal> choose_kernel(Family family, const Sizes& sizes,
                                            const GeometryWish& wish, const DeviceClass& device,
                                            bool empty) {
  struct Candidate {
    std::size_t index;
    LaunchGeometry launch;
    bool fits;
  };
  std::optional<Candidate> best;
  for (std::size_t i = 0; i < family.size(); ++i) {
    const KernelTraits& kernel = family[i];
    if (why_not_serving(kernel, sizes) || why_not_wished(kernel, wish)) {
      continue;
    }
    const LaunchGeometry launch = launch_of(kernel, sizes);
    const bool runs = kernel.image == Image::portable || device.async_image;
    const bool fits = runs && !check_launch(kernel, launch, device, wish, empty);
    const auto better = [&] {
      return preference(kernel, sizes, device) < preference(family[best->index], sizes, device);
    };
    if (!best || fits > best->fits || (fits == best->fits && better())) {
      best = Candidate{i, launch, fits};
    }
  }
  if (!best) {
    return refuse_all(family, sizes, wish);
  }
  return Choice{best->index, best->launch, explain(family[best->index], sizes, wish, device)};
}

}  // namespace chainwalk::plan
