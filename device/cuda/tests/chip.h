// SPDX-License-Identifier: Apache-2.0
// A chip's answers beside needed ones: operations applied to many operands on device 0, every
// result compared on the host's threads, and one line printed for each comparison.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chainwalk/cuda/memory.h"
#include "chainwalk/platform/executor.h"
#include "chip_operations.h"

namespace chainwalk::cuda {

using Words = std::vector<std::uint32_t>;

// What one comparison found. Threads may add at once.
class Tally {
 public:
  explicit Tally(std::string what) : what_(std::move(what)) {}

  void compared(std::uint64_t count) { compared_ += count; }
  // A difference; `text()` says it in words, and is asked for the first few only.
  template <class Text>
  void differs(const Text& text) {
    if (different_++ < kept) keep(text());
  }
  // Prints "numerics: <what>: <count> compared, <d> differ", fails where d is not 0, and returns
  // the count.
  std::uint64_t report() const;

 private:
  static constexpr std::uint64_t kept = 4;

  void keep(const std::string& text);

  std::string what_;
  std::atomic<std::uint64_t> compared_{0};
  std::atomic<std::uint64_t> different_{0};
  std::mutex lock_;
  std::vector<std::string> texts_;
};

// The bits of an application's operands.
struct OperandBits {
  std::uint32_t a, b, c;
};
std::string difference_text(const OperandBits& bits, std::uint32_t chip, std::uint32_t needed);

// Applies operations on device 0, at most `block` at a time. Results stand until the next call.
class Chip {
 public:
  static constexpr std::size_t block = std::size_t{1} << 24U;

  Chip();
  // Operands first, first + 1, ... and their complements.
  std::span<const std::uint32_t> count(Operation operation, std::uint32_t first, std::size_t count);
  // Operands of the same number each; b and c may be empty: zeros.
  std::span<const std::uint32_t> apply(Operation operation, std::span<const std::uint32_t> a,
                                       std::span<const std::uint32_t> b,
                                       std::span<const std::uint32_t> c);

 private:
  struct Unpin {
    void operator()(std::uint32_t* words) const;
  };
  std::span<const std::uint32_t> run(Operation operation, const Operands& operands,
                                     std::size_t count);

  std::array<DeviceBuffer, 3> operands_;
  DeviceBuffer results_;
  std::unique_ptr<std::uint32_t, Unpin> host_;
};

// `bits(i)`: the operands of result i. `needed(bits)`: the result that the specification gives, or
// nullopt where it gives none.
template <class Bits, class Needed>
void compare_block(Tally& tally, std::span<const std::uint32_t> results, const Bits& bits,
                   const Needed& needed) {
  constexpr std::size_t part_size = 1U << 16U;
  const auto parts = static_cast<std::int64_t>((results.size() + part_size - 1) / part_size);
  platform::parallel_for(0, parts, 0, [&](std::int64_t part, unsigned) {
    const std::size_t begin = static_cast<std::size_t>(part) * part_size;
    std::uint64_t compared = 0;
    for (std::size_t i = begin; i < begin + part_size && i < results.size(); ++i) {
      const OperandBits operands = bits(i);
      const std::optional<std::uint32_t> wanted = needed(operands);
      if (!wanted) continue;
      ++compared;
      if (*wanted == results[i]) continue;
      tally.differs([&] { return difference_text(operands, results[i], *wanted); });
    }
    tally.compared(compared);
  });
}

// Every operand a in [begin, end), with b = ~a. Returns how many were compared.
template <class Needed>
std::uint64_t compare_counted(Chip& chip, Operation operation, const std::string& what,
                              std::uint64_t begin, std::uint64_t end, const Needed& needed) {
  Tally tally(what);
  for (std::uint64_t next = begin; next < end; next += Chip::block) {
    const auto first = static_cast<std::uint32_t>(next);
    const auto count =
        static_cast<std::size_t>(end - next < Chip::block ? end - next : Chip::block);
    const auto bits = [&](std::size_t i) {
      const auto a = static_cast<std::uint32_t>(first + i);
      return OperandBits{a, ~a, 0};
    };
    compare_block(tally, chip.count(operation, first, count), bits, needed);
  }
  return tally.report();
}

// The operands given; b and c may be empty. Returns how many were compared.
template <class Needed>
std::uint64_t compare_given(Chip& chip, Operation operation, const std::string& what,
                            const Words& a, const Words& b, const Words& c, const Needed& needed) {
  Tally tally(what);
  for (std::size_t next = 0; next < a.size(); next += Chip::block) {
    const std::size_t count = a.size() - next < Chip::block ? a.size() - next : Chip::block;
    const auto part = [&](const Words& words) {
      return words.empty() ? std::span<const std::uint32_t>()
                           : std::span(words).subspan(next, count);
    };
    const auto bits = [&](std::size_t i) {
      return OperandBits{a[next + i], b.empty() ? 0 : b[next + i], c.empty() ? 0 : c[next + i]};
    };
    compare_block(tally, chip.apply(operation, part(a), part(b), part(c)), bits, needed);
  }
  return tally.report();
}

}  // namespace chainwalk::cuda
