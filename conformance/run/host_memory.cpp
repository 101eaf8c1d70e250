// SPDX-License-Identifier: Apache-2.0
// Host buffers with patterned guard zones on either side (BIG-2).
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "chainwalk/conformance/memory.h"
#include "chainwalk/platform/memory.h"

namespace chainwalk::conformance {
namespace {

constexpr std::uint64_t guard_bytes = 4096;
static_assert(guard_bytes % platform::Mapping::page_size == 0);

// Differs from byte to byte, so that a stray copy of guard bytes onto guard bytes is seen too.
std::byte guard_pattern(std::uint64_t offset) {
  return static_cast<std::byte>((offset * 37U + 11U) & 255U);
}

bool holds_nonzero(std::span<const std::byte> bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte != std::byte{0}; });
}

class HostBuffer final : public GuardedBuffer {
 public:
  explicit HostBuffer(std::uint64_t bytes)
      : size_(bytes), mapping_(platform::Mapping::sparse(bytes + 2 * guard_bytes)) {
    for (std::uint64_t index = 0; index < guard_bytes; ++index) {
      before()[index] = guard_pattern(index);
      after()[index] = guard_pattern(index);
    }
  }

  void* data() noexcept override { return base() + guard_bytes; }
  std::uint64_t size() const noexcept override { return size_; }

  void upload(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!bytes.empty()) std::memcpy(content() + offset, bytes.data(), bytes.size());
  }
  void download(std::uint64_t offset, std::span<std::byte> bytes) const override {
    if (!bytes.empty()) std::memcpy(bytes.data(), content() + offset, bytes.size());
  }
  void fill(std::byte value) override {
    if (size_ != 0) std::memset(content(), std::to_integer<int>(value), size_);
  }

  std::optional<std::int64_t> broken_guard() const override {
    for (std::uint64_t index = guard_bytes; index-- > 0;) {
      if (before()[index] != guard_pattern(index)) {
        return static_cast<std::int64_t>(index) - static_cast<std::int64_t>(guard_bytes);
      }
    }
    for (std::uint64_t index = 0; index < guard_bytes; ++index) {
      if (after()[index] != guard_pattern(index)) return static_cast<std::int64_t>(size_ + index);
    }
    return std::nullopt;
  }

  std::uint64_t fingerprint() const override { return XXH3_64bits(content(), size_); }

  std::vector<std::uint64_t> nonzero_pages() const override {
    std::vector<std::uint64_t> pages;
    for (const std::uint64_t start : mapping_.resident_pages()) {
      if (start < guard_bytes || start - guard_bytes >= size_) continue;
      const std::uint64_t offset = start - guard_bytes;
      const auto length = std::min<std::uint64_t>(platform::Mapping::page_size, size_ - offset);
      if (holds_nonzero({content() + offset, static_cast<std::size_t>(length)}))
        pages.push_back(offset);
    }
    return pages;
  }

 private:
  // The mapping's memory is the buffer's whatever the constness of the buffer object.
  std::byte* base() const noexcept {
    return const_cast<platform::Mapping&>(mapping_).bytes().data();
  }
  std::byte* before() const noexcept { return base(); }
  std::byte* content() const noexcept { return base() + guard_bytes; }
  std::byte* after() const noexcept { return base() + guard_bytes + size_; }

  std::uint64_t size_;
  platform::Mapping mapping_;
};

class HostMemory final : public MemoryKind {
 public:
  std::unique_ptr<GuardedBuffer> allocate(std::uint64_t bytes, bool) override {
    return std::make_unique<HostBuffer>(bytes);
  }
  std::uint64_t available_bytes() const override {
    const auto pages = ::sysconf(_SC_AVPHYS_PAGES);
    const auto page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0
               ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page)
               : 0;
  }
};

}  // namespace

std::vector<std::uint64_t> GuardedBuffer::nonzero_pages() const {
  constexpr std::uint64_t page = platform::Mapping::page_size;
  constexpr std::uint64_t window = 1024 * page;
  std::vector<std::uint64_t> pages;
  std::vector<std::byte> bytes;
  for (std::uint64_t start = 0; start < size(); start += window) {
    bytes.resize(static_cast<std::size_t>(std::min(window, size() - start)));
    download(start, bytes);
    const std::span<const std::byte> all(bytes);
    for (std::size_t offset = 0; offset < all.size(); offset += page) {
      if (holds_nonzero(all.subspan(offset, std::min<std::size_t>(page, all.size() - offset)))) {
        pages.push_back(start + offset);
      }
    }
  }
  return pages;
}

std::unique_ptr<MemoryKind> host_memory() { return std::make_unique<HostMemory>(); }

}  // namespace chainwalk::conformance
