// SPDX-License-Identifier: Apache-2.0
// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace chainwalk::conformance {

// `text` with markup characters as entities; control characters that XML cannot hold become '?'.
std::string escaped(std::string_view text);
// The same with line ends kept, for preformatted text.
std::string escaped_lines(std::string_view text);

}  // namespace chainwalk::conformance
