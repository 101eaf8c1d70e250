// SPDX-License-Identifier: Apache-2.0
// Page mappings: files read in place, and sparse memory for banks larger than the machine (BIG-1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace chainwalk::platform {

// A private mapping that is released by its destructor. Move-only. An empty Mapping has size 0.
class Mapping {
 public:
  Mapping() noexcept = default;
  Mapping(Mapping&& other) noexcept;
  Mapping& operator=(Mapping&& other) noexcept;
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  // Maps a whole regular file read-only. Throws std::system_error with the path in its text when
  // the file cannot be opened or mapped; an empty file gives an empty mapping.
  static Mapping read_file(const std::filesystem::path& path);

  // Maps `bytes` of zeroed private memory, 4 KiB pages, without huge pages and without reserving
  // swap: only pages that are touched take memory. Throws std::system_error when it cannot.
  static Mapping sparse(std::uint64_t bytes);

  std::span<std::byte> bytes() noexcept { return {data_, size_}; }  // writable for sparse() only
  std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }

  // First-byte offsets of the pages of a sparse mapping that the kernel reports as resident, in
  // order. A page that was only read may be reported too: compare content, not residence.
  std::vector<std::uint64_t> resident_pages() const;

  static constexpr std::uint64_t page_size = 4096;

 private:
  Mapping(std::byte* data, std::size_t size) noexcept : data_(data), size_(size) {}
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace chainwalk::platform
