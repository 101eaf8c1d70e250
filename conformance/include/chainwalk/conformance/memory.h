// SPDX-License-Identifier: Apache-2.0
// Memory in the kind that an implementation asks for, guarded, poisoned and fingerprinted by the
// harness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace chainwalk::conformance {

// A buffer with a guard zone on either side. Addresses may be a device's: only the functions below
// touch the bytes.
class GuardedBuffer {
 public:
  virtual ~GuardedBuffer() = default;
  virtual void* data() noexcept = 0;  // 256-byte aligned
  virtual std::uint64_t size() const noexcept = 0;
  virtual void upload(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  virtual void download(std::uint64_t offset, std::span<std::byte> bytes) const = 0;
  virtual void fill(std::byte value) = 0;
  // Offset, relative to data(), of the first guard byte that changed (negative before the buffer).
  virtual std::optional<std::int64_t> broken_guard() const = 0;
  // XXH3 of the whole content.
  virtual std::uint64_t fingerprint() const = 0;
  // First-byte offsets of the 4096-byte pages of the content that hold a byte other than 0, in
  // order. The default downloads everything; memory that knows its touched pages does better.
  virtual std::vector<std::uint64_t> nonzero_pages() const;
};

class MemoryKind {
 public:
  virtual ~MemoryKind() = default;
  // Throws std::bad_alloc where there is not so much. `sparse`: only touched pages should cost
  // memory (hosts; a device may ignore it).
  virtual std::unique_ptr<GuardedBuffer> allocate(std::uint64_t bytes, bool sparse = false) = 0;
  virtual std::uint64_t available_bytes() const = 0;
};

std::unique_ptr<MemoryKind> host_memory();

}  // namespace chainwalk::conformance
