// SPDX-License-Identifier: Apache-2.0
// Banks over 4 GiB: the same bits as in a small bank, and no other byte changes (BIG-1, BIG-2).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include "chainwalk/platform/memory.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/tiles.h"
#include "every_set.h"
#include "outputs_equal.h"

namespace chainwalk::reference {
namespace {

constexpr std::uint64_t bank_bytes = std::uint64_t{9} << 30U;
constexpr std::uint64_t boundary = std::uint64_t{1} << 32U;

// A content that is a function of the index in the bank: plain numbers of either sign.
std::uint32_t content(BankType type, std::uint64_t index) {
  const auto mixed = static_cast<std::uint32_t>((index * 0x9E37'79B9'7F4A'7C15U) >> 40U);
  if (type == BankType::bf16) return 0x3F00U | (mixed & 0x80FFU);
  return 0x3F00'0000U | (mixed & 0x8000'0000U) | (mixed & 0x00FF'FFFFU);
}

void fill_row(BankType type, std::int64_t columns, std::uint64_t content_row, std::byte* row) {
  const auto size = static_cast<std::size_t>(element_size(type));
  for (std::int64_t column = 0; column < columns; ++column) {
    const std::uint32_t bits = content(type, content_row * static_cast<std::uint64_t>(columns) +
                                                 static_cast<std::uint64_t>(column));
    std::memcpy(row + static_cast<std::size_t>(column) * size, &bits, size);
  }
}

// The rows on both sides of every multiple of 2^32 bytes, the first and the last.
std::vector<std::uint32_t> rows_of_interest(std::uint64_t row_bytes, std::uint64_t rows) {
  std::vector<std::uint32_t> chosen{0, 1};
  for (std::uint64_t edge = boundary; edge < rows * row_bytes; edge += boundary) {
    const std::uint64_t at = edge / row_bytes;
    for (std::uint64_t row = at - 2; row <= at + 1; ++row) {
      chosen.push_back(static_cast<std::uint32_t>(row));
    }
  }
  chosen.push_back(static_cast<std::uint32_t>(rows - 1));
  return chosen;
}

class LargeBank : public EverySetAndHead {
 protected:
  // Two members a group; slots as given.
  Problem make(BankType type, std::int64_t slots, std::vector<std::uint32_t> chosen) {
    records_.clear();
    for (const std::uint32_t slot : chosen) {
      records_.push_back({record_first, slot, 0x3F80'0000U, 0U});
      records_.push_back(
          {record_last | (1U << record_token_shift), slot, 0xBF00'0000U, 0x3F40'0000U});
    }
    delta_v_.assign(static_cast<std::size_t>(2 * head_dim()), 0.375F);
    const auto n = static_cast<std::int32_t>(records_.size());
    Problem problem;
    problem.shape.bank_type = type;
    problem.shape.slots = slots;
    problem.shape.head_dim = head_dim();
    problem.shape.num_chunks = 1;
    problem.shape.num_parallel = 1;
    problem.shape.positions = n;
    problem.shape.chunk_size = 2;
    problem.shape.delta_v_rows = 2;
    problem.shape.warps_per_block = 4;
    problem.shape.blocks_per_chunk = 1;
    problem.delta_v = delta_v_;
    problem.records = records_;
    return with_standard_tiles(problem, 4, 1);
  }

  void run_in_both(BankType type) {
    const auto row_bytes = static_cast<std::uint64_t>(head_dim() * element_size(type));
    const std::uint64_t rows = bank_bytes / row_bytes;
    const auto chosen = rows_of_interest(row_bytes, rows);
    platform::Mapping large = platform::Mapping::sparse(rows * row_bytes);
    std::vector<std::byte> small(chosen.size() * row_bytes);
    std::vector<std::uint32_t> places;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      fill_row(type, head_dim(), chosen[i], large.bytes().data() + chosen[i] * row_bytes);
      fill_row(type, head_dim(), chosen[i], small.data() + i * row_bytes);
      places.push_back(static_cast<std::uint32_t>(i));
    }
    const Problem in_large = make(type, static_cast<std::int64_t>(rows), chosen);
    run(in_large, {large.bytes(), {}, {}, {}}, {2, set()});
    const std::vector<std::byte> before = small;
    const Problem in_small = make(type, static_cast<std::int64_t>(chosen.size()), places);
    run(in_small, {small, {}, {}, {}}, {1, InstructionSet::portable});
    ASSERT_NE(small, before);

    // Every resident page: the chosen rows' new bytes, zeros elsewhere.
    std::map<std::uint64_t, std::vector<std::byte>> pages;
    for (std::size_t i = 0; i < small.size(); ++i) {
      const std::uint64_t at = chosen[i / row_bytes] * row_bytes + i % row_bytes;
      auto& page = pages[at / platform::Mapping::page_size];
      page.resize(platform::Mapping::page_size);
      page[at % platform::Mapping::page_size] = small[i];
    }
    std::size_t found = 0;
    const std::vector<std::byte> zeros(platform::Mapping::page_size);
    for (const std::uint64_t offset : large.resident_pages()) {
      const auto page = pages.find(offset / platform::Mapping::page_size);
      const auto& expected = page == pages.end() ? zeros : page->second;
      const std::size_t length =
          std::min<std::uint64_t>(platform::Mapping::page_size, large.bytes().size() - offset);
      ASSERT_TRUE(bytes_equal("page", large.bytes().subspan(offset, length),
                              std::span(expected).first(length)))
          << "at " << offset;
      found += page == pages.end() ? 0 : 1;
    }
    EXPECT_EQ(found, pages.size());
  }

 private:
  std::vector<Record> records_;
  std::vector<float> delta_v_;
};

INSTANTIATE_TEST_SUITE_P(
    Reference, LargeBank,
    ::testing::Combine(::testing::Values(InstructionSet::portable, InstructionSet::avx2,
                                         InstructionSet::avx512, InstructionSet::avx512_bf16),
                       ::testing::Values<std::int64_t>(100, 128, 1024)),
    set_and_head_name);

TEST_P(LargeBank, Big1Big2Bf16) { run_in_both(BankType::bf16); }
TEST_P(LargeBank, Big1Big2F32) { run_in_both(BankType::f32); }

}  // namespace
}  // namespace chainwalk::reference
