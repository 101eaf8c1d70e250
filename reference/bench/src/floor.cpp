// SPDX-License-Identifier: Apache-2.0
// One word of every cache line is enough to move the line: the floor asks the memory for the same
// lines as the walk and the processor for as little as can be.
#include "floor.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <span>

#include "chainwalk/platform/executor.h"

namespace chainwalk::reference {
namespace {

constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t items_per_thread = 8;
constexpr std::int64_t pages_at_once = 8;

// Not known to the compiler, so that neither reads nor writes can be left out.
std::atomic<std::uint32_t> nothing{0};
std::atomic<std::uint32_t> seen{0};

// One chunk, some of its positions.
class Touch {
 public:
  Touch(const Problem& problem, std::int64_t step, std::int64_t stream, std::byte* bank,
        FloorPrefetch prefetch)
      : problem_(problem),
        records_(problem.chunk_records(problem.shape.chunk(step, stream))),
        step_(step),
        stream_(stream),
        bank_(bank),
        row_bytes_(problem.shape.bank_row_bytes()),
        prefetch_(prefetch) {}

  void positions(std::int64_t begin, std::int64_t end) const {
    const std::uint32_t change = nothing.load(std::memory_order_relaxed);
    std::uint32_t sum = 0;
    for (std::int64_t position = begin; position < end; ++position) {
      if (prefetch_.pages_first && (position - begin) % pages_at_once == 0) {
        touch_pages(position + prefetch_.rows, end);
      }
      const std::int64_t ahead = position + prefetch_.rows;
      const bool fetches = prefetch_.rows > 0 && ahead < end;
      sum ^= read_token_row(position);
      rewrite_row(row_at(position), fetches ? row_at(ahead) : nullptr, change);
    }
    seen.fetch_xor(sum, std::memory_order_relaxed);
  }

 private:
  std::byte* row_at(std::int64_t position) const {
    return bank_ + records_[static_cast<std::size_t>(position)].slot * row_bytes_;
  }

  void touch_pages(std::int64_t from, std::int64_t end) const {
    for (std::int64_t position = from; position < std::min(from + pages_at_once, end); ++position) {
      __builtin_prefetch(row_at(position), 0, 3);
    }
  }

  void rewrite_row(std::byte* row, const std::byte* ahead, std::uint32_t change) const {
    for (std::int64_t at = 0; at < row_bytes_; at += line_bytes) {
      if (ahead != nullptr) __builtin_prefetch(ahead + at, 1, 3);
      std::uint16_t word = 0;
      std::memcpy(&word, row + at, sizeof word);
      word = static_cast<std::uint16_t>(word ^ change);
      std::memcpy(row + at, &word, sizeof word);
    }
  }

  std::uint32_t read_token_row(std::int64_t position) const {
    const Record& record = records_[static_cast<std::size_t>(position)];
    const std::int64_t columns = problem_.shape.head_dim;
    const float* row =
        problem_.delta_v.data() + problem_.token_row(step_, stream_, record) * columns;
    constexpr std::int64_t line_columns = line_bytes / static_cast<std::int64_t>(sizeof(float));
    std::uint32_t sum = 0;
    for (std::int64_t column = 0; column < columns; column += line_columns) {
      std::uint32_t word = 0;
      std::memcpy(&word, row + column, sizeof word);
      sum ^= word;
    }
    return sum;
  }

  const Problem& problem_;
  std::span<const Record> records_;
  std::int64_t step_, stream_;
  std::byte* bank_;
  std::int64_t row_bytes_;
  FloorPrefetch prefetch_;
};

}  // namespace

void touch_step(const Problem& problem, std::int64_t step, const Outputs& outputs, unsigned threads,
                FloorPrefetch prefetch) {
  const std::int64_t streams = problem.shape.num_parallel;
  const std::int64_t n = problem.shape.positions;
  const std::int64_t parts =
      threads == 1 ? 1 : (threads * items_per_thread + streams - 1) / streams;
  platform::parallel_for(0, streams * parts, threads, [&](std::int64_t item, unsigned) {
    const std::int64_t part = item % parts;
    const Touch touch(problem, step, item / parts, outputs.bank.data(), prefetch);
    touch.positions(n * part / parts, n * (part + 1) / parts);
  });
}

}  // namespace chainwalk::reference
