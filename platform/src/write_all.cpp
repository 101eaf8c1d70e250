// SPDX-License-Identifier: Apache-2.0
// Writes until nothing is left.
#include "chainwalk/platform/write_all.h"

#include <unistd.h>

#include <cerrno>

namespace chainwalk::platform {

bool write_all(int descriptor, std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace chainwalk::platform
