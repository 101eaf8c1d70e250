// SPDX-License-Identifier: Apache-2.0
// Classes of head sizes (GEO-1, GEO-2).
#include "chainwalk/spec/head.h"

#include <stdexcept>
#include <string>

namespace chainwalk {

Head make_head(std::int64_t head_dim, BankType bank_type) {
  if (head_dim < 1 || head_dim > max_head_dim) {
    throw std::invalid_argument("GEO-1: head_dim is " + std::to_string(head_dim) +
                                "; it must be in 1.." + std::to_string(max_head_dim));
  }
  const std::int64_t slices = (head_dim + slice_columns_max - 1) / slice_columns_max;
  const bool equal = head_dim % slices == 0;
  const std::int64_t width = head_dim / slices;
  if (equal && width * element_size(bank_type) % 16 == 0) {
    return {head_dim, slices, width, HeadClass::regular};
  }
  if (head_dim % 4 != 0) {
    // One slice is padded to 4 columns in shared memory; its width here is the columns it has.
    const std::int64_t scalar_width = slices == 1 ? head_dim : slice_columns_max;
    return {head_dim, slices, scalar_width, HeadClass::scalar_tail};
  }
  if (bank_type == BankType::bf16 && equal && width % 4 == 0) {
    return {head_dim, slices, width, HeadClass::even_tail};
  }
  return {head_dim, slices, slice_columns_max, HeadClass::uneven_tail};
}

const char* to_string(HeadClass head_class) noexcept {
  switch (head_class) {
    case HeadClass::regular: return "regular";
    case HeadClass::even_tail: return "even_tail";
    case HeadClass::uneven_tail: return "uneven_tail";
    case HeadClass::scalar_tail: return "scalar_tail";
  }
  return "unknown";
}

}  // namespace chainwalk
