// SPDX-License-Identifier: Apache-2.0
// Options of the machines that run the kernels' family.
#include "device_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

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
    using device::BaseSource;
    if (value == "bank_direct") {
      wish.source = BaseSource::bank_direct;
    } else if (value == "dense_rows") {
      wish.source = BaseSource::dense_rows;
    } else if (value == "batch_prefetch") {
      wish.source = BaseSource::batch_prefetch;
    } else {
      refuse(fmt::format(
          "option source is '{}'; bank_direct, dense_rows or batch_prefetch is needed", value));
    }
    return true;
  }
  if (key == "override") {
    wish.override_device_class = integer_option(key, value, 0, 1) == 1;
    return true;
  }
  return false;
}

}  // namespace chainwalk::adapters
