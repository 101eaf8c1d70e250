// SPDX-License-Identifier: Apache-2.0
// Implementations of the walk that this build carries, behind the C interface.
#pragma once

#include <span>
#include <string_view>

#include "chainwalk/implementation.h"

namespace chainwalk::adapters {

// The executable specification. Options: threads=N (0: every available one), isa=portable, avx2,
// avx512 or best.
const cw_implementation* reference_implementation() noexcept;

// The integer oracle, on one thread. No options.
const cw_implementation* oracle_implementation() noexcept;

// Every implementation of this build, in a stable order, and one by its name (nullptr: not there).
std::span<const cw_implementation* const> implementations() noexcept;
const cw_implementation* find_implementation(std::string_view name) noexcept;

}  // namespace chainwalk::adapters
