// SPDX-License-Identifier: Apache-2.0
// A function whose ways through it are known.
#pragma once

namespace chainwalk::platform {

// Nothing where `rounds` is 0; else one of three ways, as often as that.
int branching(int way, int rounds);

}  // namespace chainwalk::platform
