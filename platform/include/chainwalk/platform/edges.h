// SPDX-License-Identifier: Apache-2.0
// Which places of the instrumented code were reached, in builds with CHAINWALK_FUZZ_EDGES: the
// compiler calls a function at every edge of the control flow.
#pragma once

#include <cstdint>
#include <vector>

namespace chainwalk::platform {

// Whether this build records edges.
bool edges_are_recorded() noexcept;

// Hashes (16 bits) of the edges reached since the last call, ascending, the same from run to run of
// one build; empty where none are recorded. Any thread may run instrumented code meanwhile, but
// what it reaches during the call may be lost.
std::vector<std::uint32_t> take_edges();

}  // namespace chainwalk::platform
