// SPDX-License-Identifier: Apache-2.0
// Mappings: files read in place, and 8 GiB of which only touched pages take memory (BIG-1).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "chainwalk/platform/memory.h"

namespace chainwalk::platform {
namespace {

// A file in the temporary folder that is removed with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("chainwalk_memory_" + std::to_string(::getpid()))) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Mapping, SparseMemoryTakesTouchedPagesOnly) {
  constexpr std::uint64_t size = std::uint64_t{8} << 30U;
  Mapping mapping = Mapping::sparse(size);
  ASSERT_EQ(mapping.bytes().size(), size);
  EXPECT_TRUE(mapping.resident_pages().empty());
  const std::vector<std::uint64_t> touched{0, (std::uint64_t{1} << 32U) + 5 * Mapping::page_size,
                                           size - Mapping::page_size};
  for (const std::uint64_t offset : touched) mapping.bytes()[offset + 77] = std::byte{1};
  EXPECT_EQ(mapping.resident_pages(), touched);
  EXPECT_EQ(mapping.bytes()[touched[1] + 77], std::byte{1});
  EXPECT_EQ(mapping.bytes()[77 + 5 * Mapping::page_size], std::byte{0});  // offset modulo 2^32
}

TEST(Mapping, SparseSizesAtTheEdges) {
  EXPECT_TRUE(Mapping::sparse(0).bytes().empty());
  Mapping one = Mapping::sparse(1);
  EXPECT_EQ(one.bytes().size(), 1U);
  one.bytes()[0] = std::byte{9};
  EXPECT_EQ(one.resident_pages(), std::vector<std::uint64_t>{0});
  EXPECT_THROW(Mapping::sparse(std::numeric_limits<std::uint64_t>::max()), std::system_error);
  EXPECT_THROW(Mapping::sparse(std::uint64_t{1} << 62U), std::system_error);
}

TEST(Mapping, ReadsAWholeFile) {
  const std::string content(10'000, 'c');
  const TemporaryFile file(content + "end");
  const Mapping mapping = Mapping::read_file(file.path());
  ASSERT_EQ(mapping.bytes().size(), content.size() + 3);
  EXPECT_EQ(mapping.bytes()[content.size()], std::byte{'e'});
}

TEST(Mapping, AnEmptyFileIsAnEmptyMapping) {
  const TemporaryFile file("");
  EXPECT_TRUE(Mapping::read_file(file.path()).bytes().empty());
}

TEST(Mapping, ErrorsNameThePath) {
  for (const char* path : {"/nonexistent/file", "/tmp", "/dev/null"}) {
    try {
      Mapping::read_file(path);
      ADD_FAILURE() << path;
    } catch (const std::system_error& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
}

TEST(Mapping, MovesLeaveOneOwner) {
  Mapping first = Mapping::sparse(Mapping::page_size);
  first.bytes()[0] = std::byte{3};
  Mapping second(std::move(first));
  EXPECT_EQ(second.bytes()[0], std::byte{3});
  Mapping third;
  third = std::move(second);
  EXPECT_EQ(third.bytes()[0], std::byte{3});
}

}  // namespace
}  // namespace chainwalk::platform
