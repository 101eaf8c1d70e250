// SPDX-License-Identifier: Apache-2.0
// A folder that is removed with everything in it.
#pragma once

#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace chainwalk::cli {

class TemporaryFolder {
 public:
  // Throws std::system_error.
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "chainwalk-XXXXXX");
    if (::mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot make " + name);
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace chainwalk::cli
