// SPDX-License-Identifier: Apache-2.0
// The container of a capture file: header length, JSON header, tensor entries (CAP-1 to CAP-4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chainwalk::safetensors {

inline constexpr std::uint64_t length_bytes = 8;
inline constexpr std::uint64_t header_bytes_max = 100'000'000;

struct Entry {
  std::string name;
  std::string type;                 // "BF16", "F32", "I32" or "U8"
  std::vector<std::int64_t> shape;  // row-major; every size >= 0
  std::span<const std::byte> data;  // as many bytes as type and shape need
};

struct Contents {
  std::map<std::string, std::string> metadata;
  std::vector<Entry> tensors;  // in order of their offsets
};

// Reads the container in `file`, whose path `file_name` stands in every message. The result's views
// point into `file`. Throws InputError.
Contents parse(const std::string& file_name, std::span<const std::byte> file);

// Bytes of an element; 0 for a type that captures do not use.
std::int64_t element_bytes(std::string_view type) noexcept;

// "a" * "b" * ... * element_bytes where it fits in 63 bits, else -1. Sizes are >= 0.
std::int64_t tensor_bytes(std::span<const std::int64_t> shape, std::int64_t element_bytes) noexcept;

// "[2, 3]"
std::string shape_text(std::span<const std::int64_t> shape);

// The text in quotes, ASCII only, cut where it is long: fit for any message.
std::string quote(std::string_view text);

[[noreturn]] void fail(const std::string& file_name, const std::string& rule,
                       const std::string& what);

}  // namespace chainwalk::safetensors
