// SPDX-License-Identifier: Apache-2.0
// How deep JSON text from outside nests, known before anything is built of it: a parser keeps up
// with any depth, but whatever copies, compares or prints the document afterwards recurses.
#pragma once

#include <cstddef>
#include <string_view>

namespace chainwalk::platform {

// More than any format of this project has.
inline constexpr std::size_t json_nesting_max = 32;

// The deepest nesting of objects and lists in `text`; brackets in strings do not count. Of text
// that is not JSON, at least the nesting up to the place where it stops being JSON.
std::size_t json_nesting(std::string_view text) noexcept;

inline bool nests_too_deep(std::string_view text) noexcept {
  return json_nesting(text) > json_nesting_max;
}

}  // namespace chainwalk::platform
