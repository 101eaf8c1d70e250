// SPDX-License-Identifier: Apache-2.0
// One word of every cache line is enough to move the line: the floor asks the memory for the same
// lines as the walk and the processor for as little as can be.
#include "floor.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>

#include "chainwalk/platform/executor.h"

namespace chainwalk::reference {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t items_per_thread = 8;

// Not known to the compiler, so that neither reads nor writes can be left out.
std::atomic<std::uint32_t> nothing{0};
std::atomic<std::uint32_t> seen{0};

void fetch_row(const std::byte* row, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += line_bytes) __builtin_prefetch(row + at, 1, 3);
}

void rewrite_row(std::byte* row, std::int64_t bytes, std::uint32_t change) {
  for (std::int64_t at = 0; at < bytes; at += line_bytes) {
    std::uint16_t word = 0;
    std::memcpy(&word, row + at, sizeof word);
    word = static_cast<std::uint16_t>(word ^ change);
    std::memcpy(row + at, &word, sizeof word);
  }
}

std::uint32_t read_row(const float* row, std::int64_t columns) {
  constexpr std::int64_t step = line_bytes / static_cast<std::int64_t>(sizeof(float));
  std::uint32_t sum = 0;
  for (std::int64_t column = 0; column < columns; column += step) {
    std::uint32_t word = 0;
    std::memcpy(&word, row + column, sizeof word);
    sum ^= word;
  }
  return sum;
}

struct Touch {
  const Problem& problem;
  std::int64_t step;
  std::int64_t stream;
  std::byte* bank;
  std::int64_t prefetch_rows;

  void positions(std::int64_t begin, std::int64_t end) const {
    const ProblemShape& shape = problem.shape;
    const auto records = problem.chunk_records(shape.chunk(step, stream));
    const std::int64_t row_bytes = shape.bank_row_bytes();
    const std::uint32_t change = nothing.load(std::memory_order_relaxed);
    const auto row_at = [&](std::int64_t position) {
      return bank + records[static_cast<std::size_t>(position)].slot * row_bytes;
    };
    std::uint32_t sum = 0;
    for (std::int64_t ahead = begin; ahead < std::min(begin + prefetch_rows, end); ++ahead) {
      fetch_row(row_at(ahead), row_bytes);
    }
    for (std::int64_t position = begin; position < end; ++position) {
      if (prefetch_rows > 0 && position + prefetch_rows < end) {
        fetch_row(row_at(position + prefetch_rows), row_bytes);
      }
      const Record& record = records[static_cast<std::size_t>(position)];
      sum ^= read_row(
          problem.delta_v.data() + problem.token_row(step, stream, record) * shape.head_dim,
          shape.head_dim);
      rewrite_row(row_at(position), row_bytes, change);
    }
    seen.fetch_xor(sum, std::memory_order_relaxed);
  }
};

}  // namespace

void touch_step(const Problem& problem, std::int64_t step, const Outputs& outputs, unsigned threads,
                std::int64_t prefetch_rows) {
  const std::int64_t streams = problem.shape.num_parallel;
  const std::int64_t n = problem.shape.positions;
  const std::int64_t parts =
      threads == 1 ? 1 : (threads * items_per_thread + streams - 1) / streams;
  platform::parallel_for(0, streams * parts, threads, [&](std::int64_t item, unsigned) {
    const std::int64_t part = item % parts;
    const Touch touch{problem, step, item / parts, outputs.bank.data(), prefetch_rows};
    touch.positions(n * part / parts, n * (part + 1) / parts);
  });
}

}  // namespace chainwalk::reference
