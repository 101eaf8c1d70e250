// SPDX-License-Identifier: Apache-2.0
// Folders that go away with everything in them.
#pragma once

#include <filesystem>
#include <string_view>

namespace chainwalk::platform {

// A fresh folder that only this user may enter, "<parent>/<prefix>-XXXXXX"; the destructor removes
// it. Throws std::system_error that names the parent.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix, const std::filesystem::path& parent =
                                                        std::filesystem::temp_directory_path());
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// Where short-lived files need no disk: /dev/shm if it can be written, else the system's temporary
// folder.
std::filesystem::path memory_backed_folder();

}  // namespace chainwalk::platform
