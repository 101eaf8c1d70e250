// SPDX-License-Identifier: Apache-2.0
// The sizes of a request once PLN-1 to PLN-3 have passed: all that the choice of a kernel looks at.
#pragma once

#include <cstdint>

#include "chainwalk/spec/head.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::plan {

struct Sizes {
  BankType bank_type;
  SnapshotForm form;
  Head head;
  std::int64_t slots;
  std::int64_t num_chunks;    // N
  std::int64_t positions;     // n
  std::int64_t num_parallel;  // P
  std::int64_t chunk_size;    // C
  std::int64_t warps;         // nw
  std::int64_t blocks;        // K
  std::int64_t delta_v_rows;  // token rows given
  bool dense_rows;            // a snapshot of pre-write rows is given to read (SRC-2)

  // slots <= 2^31 - 1, hd <= 2^20 and 4 bytes an element: fits.
  std::int64_t bank_bytes() const { return slots * head.head_dim * element_size(bank_type); }
};

// The sizes of a validated shape, for capability queries and tilings; nw and K as the shape has
// them. shape.head_dim is in 1..max_head_dim.
Sizes sizes_of(const ProblemShape& shape);

}  // namespace chainwalk::plan
