// SPDX-License-Identifier: Apache-2.0
// Micro-kernels by name, of either build; null for a name that there is not.
#pragma once

#include <string>

#include "src/launch.h"

namespace chainwalk::emulator::tests {

KernelEntry plain_micro(const std::string& name);
KernelEntry checked_micro(const std::string& name);

}  // namespace chainwalk::emulator::tests
