// SPDX-License-Identifier: Apache-2.0
// Anonymous files of Linux, which /proc names.
#include "file_in_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace chainwalk::format_fuzz {

FileInMemory::FileInMemory(std::string_view content)
    : descriptor_(::memfd_create("input", MFD_CLOEXEC)),
      path_("/proc/self/fd/" + std::to_string(descriptor_)) {
  if (descriptor_ < 0 || ::write(descriptor_, content.data(), content.size()) !=
                             static_cast<ssize_t>(content.size())) {
    throw std::system_error(errno, std::generic_category(), "cannot make a file in memory");
  }
}

FileInMemory::~FileInMemory() { ::close(descriptor_); }

}  // namespace chainwalk::format_fuzz
