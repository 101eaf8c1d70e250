// SPDX-License-Identifier: Apache-2.0
// Words of a command line that a reader can paste.
#pragma once

#include <string>
#include <string_view>

namespace chainwalk::cli {

// `word` as a shell reads it back: as it is where that is safe, else in single quotes.
inline std::string shell_word(std::string_view word) {
  constexpr std::string_view safe =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(safe) == std::string_view::npos) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + '\'';
}

}  // namespace chainwalk::cli
