// SPDX-License-Identifier: Apache-2.0
// Archives of plain files, .tar.gz and .zip, that take nothing on trust.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace chainwalk::package {

struct ArchiveFile {
  std::string name;     // a plain file name
  std::string content;  // empty where it was not to be kept
  std::uint64_t bytes = 0;
  std::string sha256;  // 64 lower-case hex digits
};

// SHA-256 (FIPS 180-4) as hex.
std::string sha256_of(std::string_view bytes);

// Writes the files in their order, whole or not at all; the suffix chooses the format. Equal files
// give equal bytes. InputError for another suffix, std::system_error where it cannot be written.
void write_archive(const std::filesystem::path& path, const std::vector<ArchiveFile>& files);

// Reads every entry; keeps the content of those that `keep` names. InputError, naming the entry,
// for anything but regular files with plain names, each once; for a truncated archive; and past
// 10,000 entries, 8 GiB in all, or 256 MiB of one that is kept.
std::vector<ArchiveFile> read_archive(const std::filesystem::path& path,
                                      const std::function<bool(const std::string&)>& keep);

}  // namespace chainwalk::package
