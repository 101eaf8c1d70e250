// SPDX-License-Identifier: Apache-2.0
// Runs operations on the chip and says what a comparison found.
#include "chip.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "runtime.h"

namespace chainwalk::cuda {

void Tally::keep(const std::string& text) {
  const std::lock_guard guard(lock_);
  texts_.push_back(text);
}

std::uint64_t Tally::report() const {
  fmt::print("numerics: {}: {} compared, {} differ\n", what_, compared_.load(), different_.load());
  for (const std::string& text : texts_) ADD_FAILURE() << what_ << ": " << text;
  return compared_;
}

std::string difference_text(const OperandBits& bits, std::uint32_t chip, std::uint32_t needed) {
  return fmt::format("a {:#010X}, b {:#010X}, c {:#010X}: the chip gives {:#010X}, needed {:#010X}",
                     bits.a, bits.b, bits.c, chip, needed);
}

void Chip::Unpin::operator()(std::uint32_t* words) const { (void)cudaFreeHost(words); }

Chip::Chip()
    : operands_{DeviceBuffer(0, block * 4), DeviceBuffer(0, block * 4), DeviceBuffer(0, block * 4)},
      results_(0, block * 4) {
  void* words = nullptr;
  check(cudaMallocHost(&words, block * 4), "cudaMallocHost");
  host_.reset(static_cast<std::uint32_t*>(words));
}

std::span<const std::uint32_t> Chip::run(Operation operation, const Operands& operands,
                                         std::size_t count) {
  check(launch_operation(operation, operands, reinterpret_cast<std::uint32_t*>(results_.data()),
                         count),
        "launch_operation");
  const std::span<std::uint32_t> results(host_.get(), count);
  results_.download(0, std::as_writable_bytes(results));
  return results;
}

std::span<const std::uint32_t> Chip::count(Operation operation, std::uint32_t first,
                                           std::size_t count) {
  Operands operands;
  operands.first = first;
  return run(operation, operands, count);
}

std::span<const std::uint32_t> Chip::apply(Operation operation, std::span<const std::uint32_t> a,
                                           std::span<const std::uint32_t> b,
                                           std::span<const std::uint32_t> c) {
  const auto place = [&](std::size_t index, std::span<const std::uint32_t> words) {
    if (words.empty()) return static_cast<const std::uint32_t*>(nullptr);
    operands_[index].upload(0, std::as_bytes(words));
    return reinterpret_cast<const std::uint32_t*>(operands_[index].data());
  };
  const Operands operands{place(0, a), place(1, b), place(2, c), 0};
  return run(operation, operands, a.size());
}

}  // namespace chainwalk::cuda
