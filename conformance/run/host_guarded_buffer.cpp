// SPDX-License-Identifier: Apache-2.0
// Content and guard zones of a block of host memory (BIG-2).
#include "chainwalk/conformance/host_guarded_buffer.h"

#include <xxhash.h>

#include <array>
#include <cstring>

namespace chainwalk::conformance {
namespace {

struct Pattern {
  std::array<std::byte, HostGuardedBuffer::greatest_guard_bytes> bytes{};
  constexpr Pattern() {
    // Differs from byte to byte and from 256 bytes to the next, so that a stray copy of guard bytes
    // onto guard bytes is seen too.
    for (std::size_t index = 0; index < bytes.size(); ++index)
      bytes[index] = static_cast<std::byte>((index * 37U + index / 256U + 11U) & 255U);
  }
};
constexpr Pattern pattern;

}  // namespace

void HostGuardedBuffer::guard(std::byte* block, std::uint64_t size, std::uint64_t guard_bytes) {
  block_ = block;
  size_ = size;
  guard_bytes_ = guard_bytes;
  std::memcpy(block_, pattern.bytes.data(), guard_bytes_);
  std::memcpy(content() + size_, pattern.bytes.data(), guard_bytes_);
}

void HostGuardedBuffer::upload(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (!bytes.empty()) std::memcpy(content() + offset, bytes.data(), bytes.size());
}

void HostGuardedBuffer::download(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (!bytes.empty()) std::memcpy(bytes.data(), content() + offset, bytes.size());
}

void HostGuardedBuffer::fill(std::byte value) {
  if (size_ != 0) std::memset(content(), std::to_integer<int>(value), size_);
}

std::optional<std::int64_t> HostGuardedBuffer::broken_guard() const {
  for (std::uint64_t index = guard_bytes_; index-- > 0;) {
    if (block_[index] != pattern.bytes[index]) {
      return static_cast<std::int64_t>(index) - static_cast<std::int64_t>(guard_bytes_);
    }
  }
  for (std::uint64_t index = 0; index < guard_bytes_; ++index) {
    if (content()[size_ + index] != pattern.bytes[index]) {
      return static_cast<std::int64_t>(size_ + index);
    }
  }
  return std::nullopt;
}

std::uint64_t HostGuardedBuffer::fingerprint() const { return XXH3_64bits(content(), size_); }

}  // namespace chainwalk::conformance
