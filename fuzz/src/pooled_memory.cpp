// SPDX-License-Identifier: Apache-2.0
// Guarded host buffers out of a pool: no page is mapped or touched anew for every case (BIG-2).
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <new>

#include "chainwalk/conformance/host_guarded_buffer.h"
#include "chainwalk/fuzz/examine.h"

namespace chainwalk::fuzz {
namespace {

constexpr std::size_t guard_bytes = 1024;  // a multiple of the 256 bytes that data() is aligned to

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

class PooledBuffer final : public conformance::HostGuardedBuffer {
 public:
  PooledBuffer(std::shared_ptr<Pool> pool, std::uint64_t bytes)
      : pool_(std::move(pool)),
        capacity_(std::bit_ceil(static_cast<std::size_t>(bytes) + 2 * guard_bytes)),
        block_(pool_->take(capacity_)) {
    guard(block_.get(), bytes, guard_bytes);
  }
  PooledBuffer(const PooledBuffer&) = delete;
  PooledBuffer& operator=(const PooledBuffer&) = delete;
  ~PooledBuffer() override { pool_->free[capacity_].push_back(std::move(block_)); }

 private:
  std::shared_ptr<Pool> pool_;
  std::size_t capacity_;
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
