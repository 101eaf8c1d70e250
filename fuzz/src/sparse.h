// SPDX-License-Identifier: Apache-2.0
// Rows of a small problem at the 2^32-byte borders of a large, otherwise empty bank (BIG-1, BIG-2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chainwalk/fuzz/campaign.h"

namespace chainwalk::fuzz {

// Chooses big_slots and big_rows for a case.
void move_to_borders(FuzzCase& fuzz_case, std::uint64_t word);

// The problem with its slots renamed to big_rows; its bank_before is empty.
Problem on_sparse_bank(const FuzzCase& fuzz_case);

// The first page that is not zero although no named row lies in it.
std::optional<std::uint64_t> stray_page(const std::vector<std::uint64_t>& nonzero_pages,
                                        const std::vector<std::int64_t>& rows,
                                        std::int64_t row_bytes);

}  // namespace chainwalk::fuzz
