// SPDX-License-Identifier: Apache-2.0
// Guarded host buffers out of a pool: no page is mapped or touched anew for every case (BIG-2).
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "chainwalk/conformance/memory.h"
#include "chainwalk/fuzz/examine.h"

namespace chainwalk::fuzz {
namespace {

constexpr std::size_t guard_bytes = 1024;  // a multiple of the 256 bytes that data() is aligned to

struct Guard {
  std::array<std::byte, guard_bytes> bytes{};
  constexpr Guard() {
    // Differs from byte to byte, so that a stray copy of guard bytes is seen too.
    for (std::size_t index = 0; index < guard_bytes; ++index)
      bytes[index] = static_cast<std::byte>((index * 37U + index / 256U + 11U) & 255U);
  }
};
constexpr Guard guard;

struct FreeBlock {
  void operator()(std::byte* block) const noexcept { std::free(block); }
};
using Block = std::unique_ptr<std::byte, FreeBlock>;

// Free blocks by size, which is a power of two.
struct Pool {
  std::map<std::size_t, std::vector<Block>> free;

  Block take(std::size_t size) {
    auto& blocks = free[size];
    if (!blocks.empty()) {
      Block block = std::move(blocks.back());
      blocks.pop_back();
      return block;
    }
    Block block(static_cast<std::byte*>(std::aligned_alloc(256, size)));
    if (block == nullptr) throw std::bad_alloc();
    return block;
  }
};

class PooledBuffer final : public conformance::GuardedBuffer {
 public:
  PooledBuffer(std::shared_ptr<Pool> pool, std::uint64_t bytes)
      : pool_(std::move(pool)),
        size_(static_cast<std::size_t>(bytes)),
        capacity_(std::bit_ceil(size_ + 2 * guard_bytes)),
        block_(pool_->take(capacity_)) {
    std::memcpy(block_.get(), guard.bytes.data(), guard_bytes);
    std::memcpy(content() + size_, guard.bytes.data(), guard_bytes);
  }
  PooledBuffer(const PooledBuffer&) = delete;
  PooledBuffer& operator=(const PooledBuffer&) = delete;
  ~PooledBuffer() override { pool_->free[capacity_].push_back(std::move(block_)); }

  void* data() noexcept override { return content(); }
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
    for (std::size_t index = guard_bytes; index-- > 0;) {
      if (block_.get()[index] != guard.bytes[index])
        return static_cast<std::int64_t>(index) - static_cast<std::int64_t>(guard_bytes);
    }
    for (std::size_t index = 0; index < guard_bytes; ++index) {
      if (content()[size_ + index] != guard.bytes[index])
        return static_cast<std::int64_t>(size_ + index);
    }
    return std::nullopt;
  }
  std::uint64_t fingerprint() const override { return XXH3_64bits(content(), size_); }

 private:
  std::byte* content() const noexcept { return block_.get() + guard_bytes; }

  std::shared_ptr<Pool> pool_;
  std::size_t size_, capacity_;
  Block block_;
};

class PooledMemory final : public conformance::MemoryKind {
 public:
  std::unique_ptr<conformance::GuardedBuffer> allocate(std::uint64_t bytes, bool sparse) override {
    // A bank of many GiB is mapped, and only its touched pages take memory.
    if (sparse) return host_->allocate(bytes, sparse);
    return std::make_unique<PooledBuffer>(pool_, bytes);
  }
  std::uint64_t available_bytes() const override { return host_->available_bytes(); }

 private:
  std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
  std::unique_ptr<conformance::MemoryKind> host_ = conformance::host_memory();
};

}  // namespace

std::shared_ptr<conformance::MemoryKind> pooled_memory() {
  return std::make_shared<PooledMemory>();
}

}  // namespace chainwalk::fuzz
