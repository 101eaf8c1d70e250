// SPDX-License-Identifier: Apache-2.0
// AtomicFile: the target is whole or untouched, and nothing is left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>

#include "chainwalk/platform/atomic_file.h"

namespace chainwalk::platform {
namespace {

namespace fs = std::filesystem;

class AtomicFileTest : public testing::Test {
 protected:
  AtomicFileTest() {
    std::string name = (fs::temp_directory_path() / "chainwalk_atomic.XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
    folder_ = name;
    target_ = folder_ / "target";
  }
  ~AtomicFileTest() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  static std::string content(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  auto files() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  fs::path target_;
};

TEST_F(AtomicFileTest, CommitReplacesTheTarget) {
  std::ofstream(target_) << "old";
  AtomicFile file(target_);
  file.write("new ");
  file.write("content");
  EXPECT_EQ(content(target_), "old");
  file.commit();
  EXPECT_EQ(content(target_), "new content");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, WithoutCommitTheTargetStaysAndNothingIsLeft) {
  std::ofstream(target_) << "old";
  {
    AtomicFile file(target_);
    file.write("new");
  }
  EXPECT_EQ(content(target_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, AnExceptionBetweenLeavesNoFile) {
  try {
    AtomicFile file(target_);
    file.write("half");
    throw std::runtime_error("stop");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(AtomicFileTest, PermissionsFollowTheMask) {
  const mode_t mask = ::umask(022);
  AtomicFile file(target_);
  file.write("x");
  file.commit();
  ::umask(mask);
  struct stat status {};
  ASSERT_EQ(::stat(target_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
}

TEST_F(AtomicFileTest, APipeIsWrittenToAndStays) {
  ASSERT_EQ(::mkfifo(target_.c_str(), 0600), 0);
  const int reader = ::open(target_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  AtomicFile file(target_);
  file.write("through");
  file.commit();
  std::string read(7, ' ');
  EXPECT_EQ(::read(reader, read.data(), read.size()), 7);
  EXPECT_EQ(read, "through");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(target_));
  EXPECT_EQ(files(), 1);
}

// A device node of the test's own, where it may make one: a fault must not cost the machine its.
TEST_F(AtomicFileTest, ADeviceIsNeverReplaced) {
  if (::mknod(target_.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0)
    GTEST_SKIP() << "no right to make a device node";
  try {
    AtomicFile file(target_);
    file.write("x");
    ADD_FAILURE() << "a full device took a byte";
  } catch (const std::system_error& error) {
    // A file system without devices does not open it at all.
    EXPECT_TRUE(error.code().value() == ENOSPC || error.code().value() == EACCES) << error.what();
  }
  EXPECT_TRUE(fs::is_character_file(target_));
  EXPECT_EQ(files(), 1);
}

TEST_F(AtomicFileTest, ALinkStaysAndItsFileIsReplaced) {
  std::ofstream(target_) << "old";
  const fs::path link = folder_ / "link";
  fs::create_symlink("target", link);
  AtomicFile file(link);
  file.write("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(content(target_), "new");
  EXPECT_EQ(files(), 2);
}

TEST_F(AtomicFileTest, FailuresNameTheTarget) {
  for (const fs::path& target : {folder_, folder_ / "no" / "such" / "folder"}) {
    try {
      AtomicFile file(target);
      ADD_FAILURE() << target;
    } catch (const std::system_error& error) {
      EXPECT_NE(std::string(error.what()).find(target.string()), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace chainwalk::platform
