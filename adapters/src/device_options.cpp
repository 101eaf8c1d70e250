// SPDX-License-Identifier: Apache-2.0
// Options of the machines that run the kernels' family.
#include "device_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "chainwalk/plan/geometry_text.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::adapters {

void refuse(const std::string& text) { throw InputError({"", std::nullopt, std::nullopt, text}); }

bool parse_integer(std::string_view text, int& value) {
  int parsed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
  if (error != std::errc() || end != text.data() + text.size()) return false;
  value = parsed;
  return true;
}

int integer_option(std::string_view key, std::string_view value, int least, int greatest) {
  int parsed = 0;
  if (!parse_integer(value, parsed) || parsed < least || parsed > greatest) {
    refuse(fmt::format("option {} is '{}'; {}..{} is needed", key, value, least, greatest));
  }
  return parsed;
}

namespace {

void take_geometry(const plan::ForcedGeometry& geometry, SessionWish& wish) {
  if (geometry.cuts_tiles()) {
    refuse(
        "option geometry has warps, blocks or tile, which are a problem's own; 'chainwalk verify "
        "--geometry' cuts its tiles anew");
  }
  if (geometry.kernel) (void)take_wish_option("kernel", *geometry.kernel, wish);
  if (geometry.source) wish.source = geometry.source;
  wish.geometry = {geometry.slices_per_warp.value_or(0), geometry.offset_bits.value_or(0),
                   geometry.portable.value_or(-1), geometry.quantizing_form.value_or(0),
                   geometry.shared_cap.value_or(0)};
}

}  // namespace

bool take_wish_option(std::string_view key, std::string_view value, SessionWish& wish) {
  if (key == "kernel") {
    const auto& family = device::kernel_family;
    if (std::ranges::find(family, value, &device::KernelTraits::name) == family.end()) {
      refuse(
          fmt::format("option kernel is '{}', which is not of the family; 'chainwalk kernels' "
                      "lists its {} members",
                      value, family.size()));
    }
    wish.kernel = std::string(value);
    return true;
  }
  if (key == "source") {
    wish.source = plan::parse_base_source(value);
    if (wish.source) return true;
    refuse(fmt::format("option source is '{}'; bank_direct, dense_rows or batch_prefetch is needed",
                       value));
  }
  if (key == "geometry") {
    take_geometry(plan::parse_geometry(value), wish);
    return true;
  }
  if (key == "override") {
    wish.override_device_class = integer_option(key, value, 0, 1) == 1;
    return true;
  }
  return false;
}

}  // namespace chainwalk::adapters
