// SPDX-License-Identifier: Apache-2.0
// Files that appear whole or not at all: written under a temporary name beside the target, flushed,
// then renamed over it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace chainwalk::platform {

// Usage: construct, write(...) any number of times, commit(). Destroyed without commit(), it
// removes the temporary file and leaves the target as it was. Every failure throws
// std::system_error whose text names the target path. What is there and is no file (a device, a
// pipe) is written to as it is and never replaced; of a link, what it leads to is replaced.
class AtomicFile {
 public:
  explicit AtomicFile(std::filesystem::path target);
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;
  ~AtomicFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path place_;      // target_ without links
  std::filesystem::path temporary_;  // empty: target_ is written to directly
  int descriptor_ = -1;
};

}  // namespace chainwalk::platform
