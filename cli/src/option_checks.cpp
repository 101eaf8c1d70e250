// SPDX-License-Identifier: Apache-2.0
// Checks of single option values.
#include "option_checks.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace chainwalk::cli {

std::string require_unsigned(const std::string& text) {
  std::uint64_t number = 0;
  const char* stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, number);
  if (error == std::errc() && end == stop) return {};
  return text + " is no whole number in 0..2^64-1";
}

std::string require_seconds(const std::string& text) {
  // Beyond this a clock's own numbers overflow: about 30 years.
  constexpr double seconds_max = 1e9;
  double seconds = 0;
  const char* stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, seconds);
  const bool number = error == std::errc() && end == stop;
  if (number && seconds > 0 && seconds <= seconds_max) return {};
  return fmt::format("{} is not a number of seconds greater than 0 and at most {:.0f}", text,
                     seconds_max);
}

}  // namespace chainwalk::cli
