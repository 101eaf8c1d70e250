// SPDX-License-Identifier: Apache-2.0
// Head geometry: column slices and the class of a head size (GEO-1, GEO-2).
#pragma once

#include <cstdint>

#include "chainwalk/spec/types.h"

namespace chainwalk {

inline constexpr std::int64_t max_head_dim = std::int64_t{1} << 20U;  // GEO-1
inline constexpr std::int64_t slice_columns_max = 128;                // GEO-1

// GEO-2. regular: equal slices, slice rows and whole rows multiples of 16 bytes. even_tail: bf16
// only, equal slices of a multiple of 4 columns. uneven_tail: 128-wide slices, the last one short,
// a multiple of 4 columns in all. scalar_tail: hd % 4 != 0, element access.
enum class HeadClass : std::uint8_t { regular, even_tail, uneven_tail, scalar_tail };

// `head_dim` in 1..max_head_dim; other values throw std::invalid_argument that names the value.
struct Head {
  std::int64_t head_dim;     // hd, columns
  std::int64_t slices;       // ceil(hd / 128)
  std::int64_t slice_width;  // columns of every slice but, in an uneven or scalar head, the last
  HeadClass head_class;
};
Head make_head(std::int64_t head_dim, BankType bank_type);

const char* to_string(HeadClass head_class) noexcept;

}  // namespace chainwalk
