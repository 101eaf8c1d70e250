// SPDX-License-Identifier: Apache-2.0
// Locks of folders: one at a time, gone with their holder.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <system_error>

#include "chainwalk/platform/folder_lock.h"
#include "chainwalk/platform/temporary_folder.h"

namespace chainwalk::platform {
namespace {

TEST(FolderLock, IsHeldByOneAtATime) {
  const TemporaryFolder folder("chainwalk-lock");
  const TemporaryFolder other("chainwalk-lock");
  {
    const FolderLock first(folder.path());
    EXPECT_TRUE(first.held());
    EXPECT_FALSE(FolderLock(folder.path()).held());
    EXPECT_FALSE(FolderLock(folder.path()).held());  // who was refused leaves it alone
    EXPECT_TRUE(FolderLock(other.path()).held());
  }
  EXPECT_TRUE(FolderLock(folder.path()).held());
}

TEST(FolderLock, GoesWithAProcessThatIsKilled) {
  const TemporaryFolder folder("chainwalk-lock");
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    (void)!::write(ready[1], lock.held() ? "y" : "n", 1);
    for (;;) ::pause();
  }
  char held = 0;
  ASSERT_EQ(::read(ready[0], &held, 1), 1);
  EXPECT_EQ(held, 'y');
  EXPECT_FALSE(FolderLock(folder.path()).held());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(FolderLock(folder.path()).held());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLock, NeedsAFolder) {
  const TemporaryFolder folder("chainwalk-lock");
  EXPECT_THROW(FolderLock(folder.path() / "nothing"), std::system_error);
}

}  // namespace
}  // namespace chainwalk::platform
