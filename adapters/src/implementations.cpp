// SPDX-License-Identifier: Apache-2.0
// The list of implementations of this build.
#include <array>

#include "chainwalk/adapters/adapters.h"

namespace chainwalk::adapters {

std::span<const cw_implementation* const> implementations() noexcept {
  static const std::array all{reference_implementation(), oracle_implementation(),
                              emulator_implementation(), cuda_implementation(),
                              wrong_implementation()};
  return all;
}

const cw_implementation* find_implementation(std::string_view name) noexcept {
  for (const cw_implementation* one : implementations()) {
    if (name == one->name) return one;
  }
  return nullptr;
}

}  // namespace chainwalk::adapters
