// SPDX-License-Identifier: Apache-2.0
// What guarded buffers in host memory have alike, wherever their block comes from (BIG-2).
#pragma once

#include "chainwalk/conformance/memory.h"

namespace chainwalk::conformance {

// A block of `guard_bytes` patterned bytes, the content, and `guard_bytes` patterned bytes again.
// The class that derives owns the block.
class HostGuardedBuffer : public GuardedBuffer {
 public:
  static constexpr std::uint64_t greatest_guard_bytes = 4096;

  void* data() noexcept override { return content(); }
  std::uint64_t size() const noexcept override { return size_; }
  void upload(std::uint64_t offset, std::span<const std::byte> bytes) override;
  void download(std::uint64_t offset, std::span<std::byte> bytes) const override;
  void fill(std::byte value) override;
  std::optional<std::int64_t> broken_guard() const override;
  std::uint64_t fingerprint() const override;

 protected:
  // Takes the block and writes its guards. The block has size + 2 * guard_bytes bytes, is aligned
  // so that content is, and outlives the buffer; guard_bytes is at most greatest_guard_bytes.
  void guard(std::byte* block, std::uint64_t size, std::uint64_t guard_bytes);
  std::byte* content() const noexcept { return block_ + guard_bytes_; }

 private:
  std::byte* block_ = nullptr;
  std::uint64_t size_ = 0;
  std::uint64_t guard_bytes_ = 0;
};

}  // namespace chainwalk::conformance
