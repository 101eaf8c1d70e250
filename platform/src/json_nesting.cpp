// SPDX-License-Identifier: Apache-2.0
// One pass over the brackets outside strings (RFC 8259).
#include "chainwalk/platform/json_nesting.h"

#include <algorithm>

namespace chainwalk::platform {

std::size_t json_nesting(std::string_view text) noexcept {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '"': in_string = !in_string; break;
      case '\\':
        if (in_string) ++at;
        break;
      case '[':
      case '{':
        if (!in_string) deepest = std::max(deepest, ++depth);
        break;
      case ']':
      case '}':
        if (!in_string && depth > 0) --depth;
        break;
      default: break;
    }
  }
  return deepest;
}

}  // namespace chainwalk::platform
