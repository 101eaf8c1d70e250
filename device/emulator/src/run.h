// SPDX-License-Identifier: Apache-2.0
// Steps of a plan as launches, with the kernel's function given: the family's own, or one with a
// planted fault.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chainwalk/emulator/emulator.h"
#include "src/launch.h"

namespace chainwalk::emulator {

// As run_steps(), but runs `entry` in the place of the plan's kernel. `entry` is a checked build
// where options.checked is set.
std::vector<Finding> run_steps_of(KernelEntry entry, const plan::Plan& plan,
                                  const plan::DeviceClass& device, std::span<const Buffer> buffers,
                                  std::int64_t begin, std::int64_t end, const Options& options);

}  // namespace chainwalk::emulator
