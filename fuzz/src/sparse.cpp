// SPDX-License-Identifier: Apache-2.0
// Rows around every border, nearest first.
#include "sparse.h"

#include <algorithm>
#include <memory>
#include <set>

#include "chainwalk/generate/random.h"

namespace chainwalk::fuzz {
namespace {

constexpr std::int64_t four_gib = std::int64_t{1} << 32U;
constexpr std::int64_t page_bytes = 4096;
constexpr std::int64_t most_slots = 0x7FFF'FFFF;  // GEO-1, PLN-1

}  // namespace

void move_to_borders(FuzzCase& fuzz_case, std::uint64_t word) {
  const ProblemShape& shape = fuzz_case.problem.shape;
  const std::int64_t row_bytes = shape.bank_row_bytes();
  fuzz_case.big_word = word;
  generate::Random random{word};
  const std::int64_t bytes = random.between(1, 3) * four_gib + four_gib / 2;
  fuzz_case.big_slots = std::min(most_slots, bytes / row_bytes);
  // Streams own disjoint rows whatever the numbers are, so any set of rows will do.
  std::vector<std::int64_t> centres{0, fuzz_case.big_slots - 1};
  for (std::int64_t border = four_gib; border < fuzz_case.big_slots * row_bytes; border += four_gib)
    centres.push_back(border / row_bytes);
  std::set<std::int64_t> rows;
  for (std::int64_t distance = 0; static_cast<std::int64_t>(rows.size()) < shape.slots;
       ++distance) {
    for (const std::int64_t centre : centres) {
      for (const std::int64_t row : {centre - distance, centre + distance}) {
        if (row >= 0 && row < fuzz_case.big_slots &&
            static_cast<std::int64_t>(rows.size()) < shape.slots)
          rows.insert(row);
      }
    }
  }
  fuzz_case.big_rows.assign(rows.begin(), rows.end());
}

Problem on_sparse_bank(const FuzzCase& fuzz_case) {
  struct Renamed {
    std::vector<Record> records;
    std::shared_ptr<const void> others;
  };
  Problem big = fuzz_case.problem;
  auto renamed = std::make_shared<Renamed>();
  renamed->records.assign(big.records.begin(), big.records.end());
  renamed->others = big.storage;
  for (Record& record : renamed->records) {
    if (record.slot < fuzz_case.big_rows.size())
      record.slot = static_cast<std::uint32_t>(fuzz_case.big_rows[record.slot]);
  }
  big.records = renamed->records;
  big.storage = std::move(renamed);
  big.shape.slots = fuzz_case.big_slots;
  big.bank_before = {};
  return big;
}

std::optional<std::uint64_t> stray_page(const std::vector<std::uint64_t>& nonzero_pages,
                                        const std::vector<std::int64_t>& rows,
                                        std::int64_t row_bytes) {
  std::set<std::uint64_t> named;
  for (const std::int64_t row : rows) {
    const std::int64_t first = row * row_bytes;
    for (std::int64_t page = first / page_bytes; page <= (first + row_bytes - 1) / page_bytes;
         ++page)
      named.insert(static_cast<std::uint64_t>(page * page_bytes));
  }
  for (const std::uint64_t page : nonzero_pages) {
    if (!named.contains(page)) return page;
  }
  return std::nullopt;
}

}  // namespace chainwalk::fuzz
