// SPDX-License-Identifier: Apache-2.0
// Products that are known to fit, or not (PLN-7): 64-bit, division forms.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>

namespace chainwalk::plan {

inline constexpr std::int64_t int32_greatest = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t int64_greatest = std::numeric_limits<std::int64_t>::max();

// a * b <= limit, for a, b, limit >= 0, without forming the product.
constexpr bool product_within(std::int64_t a, std::int64_t b, std::int64_t limit) {
  return a == 0 || b <= limit / a;
}

// The product of non-negative factors, nullopt where it, or a product on the way, does not fit in
// 64 bits. A factor of 0 makes it 0 whatever the others are.
constexpr std::optional<std::int64_t> product(std::initializer_list<std::int64_t> factors) {
  for (const std::int64_t factor : factors) {
    if (factor == 0) {
      return 0;
    }
  }
  std::int64_t result = 1;
  for (const std::int64_t factor : factors) {
    if (!product_within(result, factor, int64_greatest)) {
      return std::nullopt;
    }
    result *= factor;
  }
  return result;
}

// ceil(a / b), for a >= 0, b >= 1.
constexpr std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace chainwalk::plan
