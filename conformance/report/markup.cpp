// SPDX-License-Identifier: Apache-2.0
// Escaping of text for XML and HTML.
#include "markup.h"

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

}  // namespace chainwalk::conformance
