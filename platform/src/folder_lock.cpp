// SPDX-License-Identifier: Apache-2.0
// flock(2) on a file of the folder: the kernel lets go of it when its process ends.
#include "chainwalk/platform/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace chainwalk::platform {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "cannot make " + file.string());
  // A file system without locks keeps nobody out.
  held_ = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace chainwalk::platform
