// SPDX-License-Identifier: Apache-2.0
// AtomicFile: the target is whole or untouched, and nothing is left behind.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
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
