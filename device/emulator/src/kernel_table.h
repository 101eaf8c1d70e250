// SPDX-License-Identifier: Apache-2.0
// The members of the family as functions, by index into device::kernel_family.
#pragma once

#include <cstddef>

#include "src/launch.h"

namespace chainwalk::emulator {

KernelEntry plain_kernel(std::size_t index);
// Null where this program has no checked build (other compilers than g++, the tsan preset).
KernelEntry checked_kernel(std::size_t index);

}  // namespace chainwalk::emulator
