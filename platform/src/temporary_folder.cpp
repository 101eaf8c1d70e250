// SPDX-License-Identifier: Apache-2.0
// Made by mkdtemp, removed recursively.
#include "chainwalk/platform/temporary_folder.h"

#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace chainwalk::platform {

TemporaryFolder::TemporaryFolder(std::string_view prefix, const std::filesystem::path& parent) {
  std::string name = (parent / (std::string(prefix) + "-XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot make a temporary folder in " + parent.string());
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path memory_backed_folder() {
  constexpr const char* memory = "/dev/shm";
  return ::access(memory, W_OK | X_OK) == 0 ? std::filesystem::path(memory)
                                            : std::filesystem::temp_directory_path();
}

}  // namespace chainwalk::platform
