// SPDX-License-Identifier: Apache-2.0
// Parameters of problems that a member of the family serves, at random or the smallest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chainwalk/generate/generate.h"

namespace chainwalk::device {

// Parameters `index` of a stream for member `kernel`: head sizes at the borders of what it serves,
// then any; small problems.
generate::Parameters draw_case(std::size_t kernel, std::uint64_t seed, std::uint64_t index);

// The least problems that reach all of member `kernel`: the narrowest head that it serves, the
// narrowest that fills a warp of whole rows, and the narrowest whose columns are shared out, where
// it serves such. Never empty.
std::vector<generate::Parameters> small_cases(std::size_t kernel);

}  // namespace chainwalk::device
