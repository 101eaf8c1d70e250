// SPDX-License-Identifier: Apache-2.0
// One process at a time in a folder.
#pragma once

#include <filesystem>

namespace chainwalk::platform {

// Held from construction to destruction, or to the end of the process, however it ends. The folder
// keeps an empty file "lock". Locks of one process exclude each other too.
class FolderLock {
 public:
  // Does not wait. Throws std::system_error where the file cannot be made.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  bool held() const noexcept { return held_; }  // false: somebody else holds it

 private:
  int descriptor_;
  bool held_;
};

}  // namespace chainwalk::platform
