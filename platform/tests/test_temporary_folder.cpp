// SPDX-License-Identifier: Apache-2.0
// Temporary folders come and go.
#include <gtest/gtest.h>

#include <fstream>
#include <system_error>

#include "chainwalk/platform/temporary_folder.h"

namespace chainwalk::platform {
namespace {

TEST(TemporaryFolder, GoesAwayWithEverythingInIt) {
  std::filesystem::path first;
  {
    const TemporaryFolder folder("platform-test");
    const TemporaryFolder other("platform-test");
    first = folder.path();
    EXPECT_NE(first, other.path());
    ASSERT_TRUE(std::filesystem::is_directory(first));
    std::filesystem::create_directory(first / "deeper");
    std::ofstream(first / "deeper" / "file") << "text";
  }
  EXPECT_FALSE(std::filesystem::exists(first));
}

TEST(TemporaryFolder, NamesTheParentThatCannotHoldIt) {
  try {
    const TemporaryFolder folder("x", "/proc/nothing");
    FAIL() << folder.path();
  } catch (const std::system_error& error) {
    EXPECT_NE(std::string(error.what()).find("/proc/nothing"), std::string::npos) << error.what();
  }
}

TEST(TemporaryFolder, MemoryBackedFolderHoldsFiles) {
  const TemporaryFolder folder("platform-test", memory_backed_folder());
  EXPECT_TRUE(std::ofstream(folder.path() / "file") << "text");
}

}  // namespace
}  // namespace chainwalk::platform
