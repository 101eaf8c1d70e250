// SPDX-License-Identifier: Apache-2.0
// Questions that the plan checks ask of a tensor of a request (PLN-2, PLN-7). Its data is never
// read.
#pragma once

#include <cstdint>
#include <optional>

#include "chainwalk/implementation.h"

namespace chainwalk::adapters {

inline bool is_given(const cw_tensor& tensor) { return tensor.rank != 0; }

// Dimensions and extents that a tensor can have.
bool is_sane(const cw_tensor& tensor);

// Elements of a sane tensor, or the greatest number where they do not fit in 63 bits.
std::int64_t numel(const cw_tensor& tensor);
// nullopt where they do not fit in 63 bits.
std::optional<std::int64_t> bytes_of(const cw_tensor& tensor);
std::int64_t element_bytes(std::int32_t type);

// Row-major without gaps. Of a tensor that is empty, strides mean nothing; nor does that of an
// extent of 1.
bool is_contiguous(const cw_tensor& tensor);

// Whether a * b <= limit, by division; none is negative.
inline bool product_within(std::int64_t a, std::int64_t b, std::int64_t limit) {
  return a == 0 || b <= limit / a;
}

}  // namespace chainwalk::adapters
