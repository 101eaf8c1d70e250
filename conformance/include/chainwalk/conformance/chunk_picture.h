// SPDX-License-Identifier: Apache-2.0
// A chunk as SVG: records as cells, groups as bars, tiles as brackets with their first ordinals
// (REC-6, TIL-1, TIL-4, SNP-1).
#pragma once

#include <cstdint>
#include <string>

#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// Positions [first, first + count) of a chunk of a well-formed problem; the range lies in 0..n.
std::string draw_chunk(const Problem& problem, std::int64_t chunk, std::int64_t first,
                       std::int64_t count);

}  // namespace chainwalk::conformance
