// SPDX-License-Identifier: Apache-2.0
// What each member of the family needs (GEO-2, GEO-8, QNT-9, QNT-10, SRC-2, SRC-3, BIG-1, TIL-3).
#include "serve.h"

#include <fmt/format.h>

#include "arithmetic.h"
#include "geometry.h"

namespace chainwalk::plan {
namespace {

using device::BaseSource;
using device::Form;
using device::HeadSupport;
using device::KernelTraits;
using device::Quantizing;
using Reason = std::optional<std::string>;

constexpr std::int64_t offsets_of_32_bits = std::int64_t{1} << 32U;
constexpr std::int64_t sliced_quantizing_head = 16384;  // QNT-9

const char* support_text(const KernelTraits& kernel) {
  const bool rows = kernel.form == Form::rows;
  switch (kernel.head) {
    case HeadSupport::regular:
      return rows ? "rows that are multiples of 16 bytes" : "regular heads";
    case HeadSupport::regular_full: return "regular heads with slices of 128 columns";
    case HeadSupport::even:
    case HeadSupport::uneven: return "multiples of 4 columns";
    case HeadSupport::pairs: return "multiples of 2 columns";
    case HeadSupport::scalar: return "heads that are no multiple of 4 columns";
    case HeadSupport::any: return "every head";
  }
  return "no head";
}

Reason head_reason(const KernelTraits& kernel, const Sizes& sizes) {
  const Head& head = sizes.head;
  // How a member quantizes is asked below, with a reason of its own.
  KernelTraits walk = kernel;
  walk.quantizing = Quantizing::none;
  if (device::serves_head(walk, static_cast<std::int32_t>(head.head_dim),
                          static_cast<std::int32_t>(head.slices),
                          static_cast<std::int32_t>(head.slice_width))) {
    return std::nullopt;
  }
  return fmt::format("head_dim {} is {} ({} slices of {} columns); it serves {}{}", head.head_dim,
                     to_string(head.head_class), head.slices, head.slice_width,
                     support_text(kernel),
                     kernel.form == Form::two_slices ? " with an even number of slices" : "");
}

Reason source_reason(const KernelTraits& kernel, const Sizes& sizes) {
  if (kernel.source == BaseSource::bank_direct) {
    return std::nullopt;
  }
  if (sizes.bank_bytes() > offsets_of_32_bits) {
    return fmt::format("the bank has {} bytes; its base rows come from banks up to {}",
                       sizes.bank_bytes(), offsets_of_32_bits);
  }
  if (kernel.source == BaseSource::dense_rows && !sizes.dense_rows) {
    return "no snapshot of pre-write rows is given to read its base rows from";
  }
  return std::nullopt;
}

Reason quantizing_reason(const KernelTraits& kernel, const Sizes& sizes) {
  const std::int64_t lanes = device::slices_per_warp(kernel);
  const std::int64_t groups = ceil_divide(sizes.head.slices, lanes);
  switch (kernel.quantizing) {
    case Quantizing::none:
    case Quantizing::whole_row: return std::nullopt;
    case Quantizing::in_walk:
      return groups == 1 ? Reason{}
                         : fmt::format("a row has {} slices; it quantizes rows of {}",
                                       sizes.head.slices, lanes);
    case Quantizing::cluster:
    case Quantizing::all_slices: break;
  }
  return why_not_sliced_quantizing(sizes);
}

}  // namespace

std::optional<std::string> why_not_sliced_quantizing(const Sizes& sizes) {
  if (sizes.head.head_class != HeadClass::regular) {
    return fmt::format("head_dim {} is {}; column-sliced quantized rows need a regular head",
                       sizes.head.head_dim, to_string(sizes.head.head_class));
  }
  if (sizes.head.head_dim > sliced_quantizing_head) {
    return fmt::format("head_dim is {}; column-sliced quantized rows need at most {}",
                       sizes.head.head_dim, sliced_quantizing_head);
  }
  return std::nullopt;
}

std::optional<std::string> why_not_serving(const KernelTraits& kernel, const Sizes& sizes) {
  if (kernel.bank != sizes.bank_type) {
    return fmt::format("the bank is {}; it walks {} banks", to_string(sizes.bank_type),
                       to_string(kernel.bank));
  }
  if (kernel.snapshot != sizes.form) {
    return fmt::format("the snapshot form is {}; it writes {}", to_string(sizes.form),
                       to_string(kernel.snapshot));
  }
  if (auto reason = head_reason(kernel, sizes)) {
    return reason;
  }
  if (kernel.offset_bits == 32 && sizes.bank_bytes() > offsets_of_32_bits) {
    return fmt::format("the bank has {} bytes; its 32-bit offsets reach {}", sizes.bank_bytes(),
                       offsets_of_32_bits);
  }
  if (auto reason = source_reason(kernel, sizes)) {
    return reason;
  }
  return quantizing_reason(kernel, sizes);
}

std::optional<std::string> why_not_wished(const KernelTraits& kernel, const GeometryWish& wish) {
  const int slices = device::slices_per_warp(kernel);
  if (wish.kernel && *wish.kernel != kernel.name) {
    return fmt::format("kernel {} is asked for", *wish.kernel);
  }
  if (wish.slices_per_warp && (kernel.form == Form::rows || *wish.slices_per_warp != slices)) {
    return fmt::format(
        "slices_per_warp {} is asked for; it {}", *wish.slices_per_warp,
        kernel.form == Form::rows ? "keeps whole rows" : fmt::format("walks {}", slices));
  }
  if (wish.offset_bits && *wish.offset_bits != kernel.offset_bits) {
    return fmt::format("offsets of {} bits are asked for; it has {}", *wish.offset_bits,
                       kernel.offset_bits);
  }
  if (wish.portable && (*wish.portable == 1) != (kernel.image == device::Image::portable)) {
    return fmt::format("portable {} is asked for; it is of the {} image", *wish.portable,
                       kernel.image == device::Image::portable ? "portable" : "async");
  }
  if (wish.quantizing && *wish.quantizing != kernel.quantizing) {
    return "another quantizing form is asked for";
  }
  const BaseSource needed = wish.source.value_or(kernel.source);
  const bool dense_unasked =
      kernel.source == BaseSource::dense_rows && !wish.source && !wish.kernel;
  if (needed != kernel.source || dense_unasked) {
    return "base rows from another source are asked for";
  }
  return std::nullopt;
}

}  // namespace chainwalk::plan
