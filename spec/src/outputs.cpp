// SPDX-License-Identifier: Apache-2.0
// Owned outputs of a problem, poisoned.
#include <cstdlib>
#include <cstring>
#include <new>

#include "chainwalk/spec/problem.h"

namespace chainwalk {

void OutputBuffers::Free::operator()(std::byte* data) const noexcept { std::free(data); }

OutputBuffers::Buffer OutputBuffers::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  constexpr std::size_t alignment = 64;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  auto* data = static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
  if (data == nullptr) throw std::bad_alloc();
  return Buffer(data);
}

OutputBuffers::OutputBuffers(const Problem& problem, std::byte poison) : poison_(poison) {
  const ProblemShape& shape = problem.shape;
  const auto poisoned = [&](Buffer& buffer, std::int64_t rows, std::int64_t row_bytes) {
    const auto bytes = static_cast<std::size_t>(rows * row_bytes);
    buffer = allocate(bytes);
    if (bytes != 0) std::memset(buffer.get(), std::to_integer<int>(poison), bytes);
    return std::span(buffer.get(), bytes);
  };
  bank_ = allocate(problem.bank_before.size());
  views_.bank = {bank_.get(), problem.bank_before.size()};
  if (!views_.bank.empty()) {
    std::memcpy(views_.bank.data(), problem.bank_before.data(), views_.bank.size());
  }
  if (is_dense(shape.snapshot)) {
    views_.snapshot = poisoned(snapshot_, shape.snapshot_rows(), shape.snapshot_row_bytes());
  } else if (is_quantized(shape.snapshot)) {
    views_.payload = poisoned(payload_, shape.snapshot_rows(), shape.snapshot_row_bytes());
    const auto scale = poisoned(scale_, shape.snapshot_rows(), 4);
    views_.scale = {reinterpret_cast<float*>(scale.data()), scale.size() / 4};
  }
}

}  // namespace chainwalk
