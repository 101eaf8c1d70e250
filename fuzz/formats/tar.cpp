// SPDX-License-Identifier: Apache-2.0
// Headers of ustar: POSIX.1-1988, 512 bytes, numbers as octal text.
#include "tar.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <numeric>

namespace chainwalk::format_fuzz {
namespace {

constexpr std::size_t block = 512;
constexpr std::size_t size_at = 124, size_digits = 11;
constexpr std::size_t checksum_at = 148, checksum_bytes = 8;

std::size_t rounded(std::size_t bytes) { return (bytes + block - 1) / block * block; }

void put_checksum(std::span<std::uint8_t> header) {
  const auto field = header.subspan(checksum_at, checksum_bytes);
  std::fill(field.begin(), field.end(), std::uint8_t{' '});
  const unsigned sum = std::accumulate(header.begin(), header.end(), 0U);
  std::snprintf(reinterpret_cast<char*>(field.data()), checksum_bytes, "%06o", sum);
}

std::size_t size_of(std::span<const std::uint8_t> header) {
  std::size_t size = 0;
  for (const std::uint8_t digit : header.subspan(size_at, size_digits)) {
    if (digit < '0' || digit > '7') break;
    size = size * 8 + (digit - '0');
  }
  return size;
}

}  // namespace

std::string tar_of(const NamedTexts& files) {
  std::string archive;
  for (const auto& [name, content] : files) {
    std::uint8_t header[block] = {};
    std::memcpy(header, name.data(), std::min<std::size_t>(name.size(), 99));
    std::memcpy(header + 100, "0000644", 7);
    std::snprintf(reinterpret_cast<char*>(header + size_at), size_digits + 1, "%011zo",
                  content.size());
    std::memcpy(header + 136, "00000000000", 11);
    header[156] = '0';
    std::memcpy(header + 257, "ustar\00000", 8);
    put_checksum(header);
    archive.append(reinterpret_cast<const char*>(header), block);
    archive += content;
    archive.resize(rounded(archive.size()));
  }
  archive.resize(archive.size() + 2 * block);
  return archive;
}

void mend_checksums(std::span<std::uint8_t> archive) {
  std::size_t at = 0;
  while (at + block <= archive.size()) {
    const auto header = archive.subspan(at, block);
    // Blocks of zeros end an archive.
    if (std::all_of(header.begin(), header.end(), [](std::uint8_t byte) { return byte == 0; }))
      return;
    put_checksum(header);
    at += block + rounded(size_of(header));
  }
}

}  // namespace chainwalk::format_fuzz
