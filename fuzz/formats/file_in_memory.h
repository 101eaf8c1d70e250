// SPDX-License-Identifier: Apache-2.0
// Bytes under a path, so that a reader of files is fuzzed as it is, with no disk in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace chainwalk::format_fuzz {

class FileInMemory {
 public:
  explicit FileInMemory(std::string_view content);
  FileInMemory(const FileInMemory&) = delete;
  FileInMemory& operator=(const FileInMemory&) = delete;
  ~FileInMemory();
  const std::string& path() const noexcept { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace chainwalk::format_fuzz
