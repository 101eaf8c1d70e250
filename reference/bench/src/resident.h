// SPDX-License-Identifier: Apache-2.0
// Resident memory of this process.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace chainwalk::reference {

// Peak resident bytes while `work` runs, less those resident before. Nothing where the system does
// not tell (work runs all the same).
std::optional<std::int64_t> peak_growth(const std::function<void()>& work);

}  // namespace chainwalk::reference
