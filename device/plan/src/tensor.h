// SPDX-License-Identifier: Apache-2.0
// Questions that the checks ask of a tensor's description (PLN-1, PLN-2, PLN-5). Its data is never
// read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chainwalk/plan/plan.h"

namespace chainwalk::plan {

inline bool is_given(const Tensor& tensor) { return tensor.rank != 0; }

// Every dimension up to the rank is >= 0, and the rank is at most 3.
bool has_sane_shape(const Tensor& tensor);

// Row-major without gaps. Dimensions of one element may have any stride, and so may every dimension
// of an empty tensor.
bool is_contiguous(const Tensor& tensor);

// Elements and bytes; nullopt where the count does not fit in 64 bits. The shape is sane.
std::optional<std::int64_t> element_count(const Tensor& tensor);
std::optional<std::int64_t> byte_count(const Tensor& tensor);

std::int64_t element_bytes(ElementType type);
const char* type_name(ElementType type);       // "bf16"; "unknown" for a number that is no type
std::string shape_text(const Tensor& tensor);  // "[4, 16, 4]"

// The half-open byte ranges of two tensors share a byte (PLN-5). An empty tensor shares none; one
// whose size overflows is left to PLN-7.
bool overlaps(const Tensor& a, const Tensor& b);

}  // namespace chainwalk::plan
