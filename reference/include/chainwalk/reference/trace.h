// SPDX-License-Identifier: Apache-2.0
// The chain of one column of one group, step by step, for people to read (ARI, SNP, QNT).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::reference {

// One fma of the chain: acc_after = fma(scale, token_value, acc_before), ARI-1.
struct TraceMember {
  std::int64_t position;   // in the chunk
  std::int32_t raw_token;  // REC-2
  std::int32_t token;      // REC-3
  std::int64_t token_row;  // ARI-7
  float scale, token_value, acc_before, acc_after;
};

struct Trace {
  std::int64_t chunk, step, stream, group, column, tile;
  bool valid;  // ARI-4: an INVALID group stores nothing
  std::vector<TraceMember> members;
  // The fields below are set for a valid group only.
  std::uint32_t slot;
  float base, decay, out;                      // ARI-2, before the store's rounding
  std::uint32_t stored_bits;                   // ARI-3: 16 or 32 bits as the bank holds them
  std::optional<std::int64_t> snapshot_row;    // SNP-1
  std::optional<std::uint32_t> snapshot_bits;  // SNP-2, SNP-3; QNT-5, QNT-6 code
  std::optional<float> amax, quantizer_scale, quotient;  // QNT-2, QNT-3, QNT-4
};

// Traces column `column` of group `group` (counted over all groups of the chunk, INVALID ones
// too) of chunk `chunk`, which must be one that runs. Steps before it are run on a private copy of
// the bank's touched rows. Throws std::out_of_range that names the argument and its range.
Trace trace_column(const Problem& problem, std::int64_t chunk, std::int64_t group,
                   std::int64_t column);

}  // namespace chainwalk::reference
