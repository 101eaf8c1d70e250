// SPDX-License-Identifier: Apache-2.0
// File and line of a return address in this program.
#pragma once

#include <string>

namespace chainwalk::emulator {

// "walk_rows.h:57", the innermost place outside the primitives; empty where the program has no
// debug information for it. Safe to call from any thread; the first call takes a while.
std::string source_line(const void* return_address);

}  // namespace chainwalk::emulator
