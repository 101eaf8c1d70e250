// SPDX-License-Identifier: Apache-2.0
// The checks of a request, in the order in which they run (PLN-1 to PLN-7). Each returns the first
// failure; later ones rely on what earlier ones passed. Nothing is read behind a pointer.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "chainwalk/plan/plan.h"
#include "sizes.h"

namespace chainwalk::plan {

inline constexpr std::int64_t greatest_positions = std::int64_t{1} << 30U;  // REC-1

using Outcome = std::optional<Refusal>;

template <typename... Arguments>
Refusal refuse(Check check, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return {check,
          rule_of(check) + ": " + fmt::format(format, std::forward<Arguments>(arguments)...)};
}

using Family = std::span<const device::KernelTraits>;
using Kernel = const device::KernelTraits*;

// The member that the wish names; nullptr where it names none, or one that does not exist (which
// GEO-8 reports).
Kernel forced_kernel(Family family, const GeometryWish& wish);

// SRC-2 is asked for: the snapshot holds pre-write rows that the walk reads.
bool wants_dense_rows(const GeometryWish& wish, Kernel forced);

Outcome check_classes(const Request& request, Kernel forced);  // PLN-1
Outcome check_layouts(const Request& request, Kernel forced);  // PLN-2
Outcome check_forms(const Request& request, Kernel forced);    // PLN-3
Outcome check_sizes(const Request& request);                   // PLN-4, but for tensor maps
Outcome check_overlap(const Request& request);                 // PLN-5
Outcome check_overflow(const Request& request);                // PLN-7

// The sizes of a request that has passed PLN-1 to PLN-3.
Sizes sizes_of(const Request& request, Kernel forced);

}  // namespace chainwalk::plan
