// SPDX-License-Identifier: Apache-2.0
// The pre-write rows that a dense-row walk reads (SRC-2), which another kernel would have gathered.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "chainwalk/plan/plan.h"
#include "chainwalk/spec/record.h"

namespace chainwalk::adapters {

// A request whose wish is a dense-row walk gets a snapshot of the size that PLN-4 needs, at a
// placeholder address; others, and requests with sizes that PLN refuses, are left alone.
void describe_dense_rows(plan::Request& request);
bool reads_dense_rows(const plan::Plan& plan);

// Bytes of that snapshot.
std::uint64_t dense_rows_bytes(const plan::Request& request);

// Calls copy(slot, row) for every valid group of a step: bank row `slot` goes to snapshot row `row`
// (SNP-1). `records` are those of every chunk.
void for_each_base_row(const plan::Request& request, std::span<const Record> records,
                       std::int64_t step,
                       const std::function<void(std::int64_t slot, std::int64_t row)>& copy);

// The group prefixes of every chunk as TIL-4 says: by them such a walk finds its rows. The
// request's own are free where no rows are written. Bounds outside a chunk count as its nearest
// end.
std::vector<std::int32_t> dense_row_prefixes(const plan::Request& request,
                                             std::span<const Record> records,
                                             std::span<const std::int32_t> tile_bounds);

}  // namespace chainwalk::adapters
