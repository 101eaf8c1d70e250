// SPDX-License-Identifier: Apache-2.0
// Escaping of text for XML and HTML.
#include "chainwalk/conformance/markup.h"

#include <algorithm>

namespace chainwalk::conformance {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    switch (letter) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\n': result += "&#10;"; break;
      case '\t': result += ' '; break;
      default: result += static_cast<unsigned char>(letter) < 0x20U ? '?' : letter; break;
    }
  }
  return result;
}

std::string escaped_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t stop = std::min(text.find('\n'), text.size());
    result += escaped(text.substr(0, stop));
    if (stop < text.size()) result += '\n';
    text.remove_prefix(std::min(stop + 1, text.size()));
  }
  return result;
}

}  // namespace chainwalk::conformance
