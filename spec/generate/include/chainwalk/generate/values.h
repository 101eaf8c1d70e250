// SPDX-License-Identifier: Apache-2.0
// Values of float tensors, as bits of bf16 (16) or f32 (32): plain, special and uniform bits.
#pragma once

#include <cstdint>
#include <span>

#include "chainwalk/generate/generate.h"
#include "chainwalk/generate/random.h"

namespace chainwalk::generate {

// Fills one row of a bank or of delta_v. In a row of specials the kind of row is drawn first (a
// row that a quantizer ties on, one of zeros, one with infinities, ...), so that a NaN does not
// hide everything else. `cycle` makes every row of specials walk through the whole list.
void fill_row(Values values, bool cycle, Random& random, std::span<std::uint16_t> row);
void fill_row(Values values, bool cycle, Random& random, std::span<std::uint32_t> row);

// f32 bits of the scale of a member, and of the decay of a group.
std::uint32_t draw_scale(Values values, Random& random);
std::uint32_t draw_decay(Values values, Random& random);

}  // namespace chainwalk::generate
