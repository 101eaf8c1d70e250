// SPDX-License-Identifier: Apache-2.0
// Host buffers with patterned guard zones on either side (BIG-2).
#include <unistd.h>

#include <algorithm>

#include "chainwalk/conformance/host_guarded_buffer.h"
#include "chainwalk/platform/memory.h"

namespace chainwalk::conformance {
namespace {

constexpr std::uint64_t guard_bytes = 4096;
static_assert(guard_bytes % platform::Mapping::page_size == 0);

bool holds_nonzero(std::span<const std::byte> bytes) {
  return std::any_of(bytes.begin(), bytes.end(),
                     [](std::byte byte) { return byte != std::byte{0}; });
}

class HostBuffer final : public HostGuardedBuffer {
 public:
  explicit HostBuffer(std::uint64_t bytes)
      : mapping_(platform::Mapping::sparse(bytes + 2 * guard_bytes)) {
    guard(mapping_.bytes().data(), bytes, guard_bytes);
  }

  std::vector<std::uint64_t> nonzero_pages() const override {
    std::vector<std::uint64_t> pages;
    for (const std::uint64_t start : mapping_.resident_pages()) {
      if (start < guard_bytes || start - guard_bytes >= size()) continue;
      const std::uint64_t offset = start - guard_bytes;
      const auto length = std::min<std::uint64_t>(platform::Mapping::page_size, size() - offset);
      if (holds_nonzero({content() + offset, static_cast<std::size_t>(length)}))
        pages.push_back(offset);
    }
    return pages;
  }

 private:
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
