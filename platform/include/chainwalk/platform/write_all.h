// SPDX-License-Identifier: Apache-2.0
// Writes the whole of a text to a descriptor.
#pragma once

#include <string_view>

namespace chainwalk::platform {

// Goes on after signals and short writes. False where the system refuses, with its reason in errno;
// a part may have been written by then.
bool write_all(int descriptor, std::string_view text) noexcept;

}  // namespace chainwalk::platform
