// SPDX-License-Identifier: Apache-2.0
// Bank rows, token rows, scales and decays by a draw's choices.
#pragma once

#include <cstdint>
#include <span>

#include "chainwalk/generate/random.h"
#include "chainwalk/spec/problem.h"
#include "draw.h"

namespace chainwalk::fuzz {

// Row `row` of the bank, in bits of the bank's type.
void fill_bank_row(const Draw& draw, const ProblemShape& shape, std::uint64_t row,
                   std::span<std::uint16_t> bits);
void fill_bank_row(const Draw& draw, const ProblemShape& shape, std::uint64_t row,
                   std::span<std::uint32_t> bits);

// Row `row` of delta_v, as bits of f32.
void fill_token_row(const Draw& draw, std::uint64_t row, std::span<std::uint32_t> bits);

// Scale of a member and decay of a group, as bits of f32.
std::uint32_t scale_of(const Draw& draw, generate::Random& random);
std::uint32_t decay_of(const Draw& draw, generate::Random& random);

}  // namespace chainwalk::fuzz
