// SPDX-License-Identifier: Apache-2.0
// Chapter BIG: banks over 4 GiB. A small problem's slots are moved to rows on both sides of every
// 2^32-byte boundary of a large, otherwise empty bank; the rows must end as in the small bank
// (BIG-1) and no other page may change (BIG-2).
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/reference/reference.h"
#include "changed_problem.h"
#include "chapter.h"

namespace chainwalk::conformance {
namespace {

using generate::Parameters;

constexpr std::int64_t four_gib = std::int64_t{1} << 32U;
constexpr std::uint64_t page_bytes = 4096;

struct BigCase {
  BankType bank;
  SnapshotForm form;
  std::int64_t head_dim;
  std::int64_t gib_over;  // the bank reaches this many 2^32-byte boundaries
};

// `count` ascending rows: the first and last ones, and those around every boundary.
std::vector<std::int64_t> chosen_rows(std::int64_t slots, std::int64_t row_bytes,
                                      std::size_t count) {
  std::set<std::int64_t> rows;
  std::vector<std::int64_t> centres{0, slots - 1};
  for (std::int64_t boundary = four_gib; boundary < slots * row_bytes; boundary += four_gib) {
    centres.push_back(boundary / row_bytes);
  }
  for (std::int64_t distance = 0; rows.size() < count; ++distance) {
    for (const std::int64_t centre : centres) {
      for (const std::int64_t row : {centre - distance, centre + distance}) {
        if (row >= 0 && row < slots && rows.size() < count) rows.insert(row);
      }
    }
  }
  return {rows.begin(), rows.end()};
}

Problem moved(const Problem& small, std::int64_t slots, const std::vector<std::int64_t>& rows) {
  Problem big = change(small, [&](ChangedInputs& changed) {
    for (Record& record : changed.records) {
      if (record.slot < rows.size()) record.slot = static_cast<std::uint32_t>(rows[record.slot]);
    }
  });
  big.shape.slots = slots;
  big.bank_before = {};
  return big;
}

CaseResult fail(const std::string& text, const char* rule) {
  CaseResult result;
  result.verdict = Verdict::fail;
  result.text = text;
  result.broken_rules = {rule};
  return result;
}

// The first page that changed although it holds no named row, or nullopt.
std::optional<std::uint64_t> stray_page(const std::vector<std::uint64_t>& pages,
                                        const std::vector<std::int64_t>& rows,
                                        std::uint64_t row_bytes) {
  std::set<std::uint64_t> named;
  for (const std::int64_t row : rows) {
    const std::uint64_t first = static_cast<std::uint64_t>(row) * row_bytes;
    for (std::uint64_t page = first / page_bytes; page <= (first + row_bytes - 1) / page_bytes;
         ++page)
      named.insert(page);
  }
  for (const std::uint64_t page : pages) {
    if (!named.contains(page / page_bytes)) return page;
  }
  return std::nullopt;
}

CaseResult judge_big(Harness& harness, const BigCase& big, std::uint64_t seed) {
  Parameters parameters;
  parameters.bank_type = big.bank;
  parameters.snapshot = big.form;
  parameters.head_dim = big.head_dim;
  parameters.slots = 64;
  parameters.positions = 32;
  parameters.invalid_share = 0.1;
  const Problem small = generate::make_problem(parameters, seed, 0);
  const std::int64_t row_bytes = small.shape.bank_row_bytes();
  const std::int64_t slots = (big.gib_over * four_gib + four_gib / 2) / row_bytes;
  const std::vector<std::int64_t> rows =
      chosen_rows(slots, row_bytes, static_cast<std::size_t>(small.shape.slots));
  const SparseRows bank{rows, {small.bank_before.begin(), small.bank_before.end()}};
  const SparseOutcome left = harness.run_sparse(moved(small, slots, rows), bank);
  CaseResult result = judge_outcome(left.outcome);
  if (result.verdict != Verdict::pass) return result;

  const OutputBuffers expected(small);
  reference::run(small, expected.views());
  const Outputs& others = left.outcome.outputs->views();
  const ConstOutputs actual(left.rows, others.snapshot, others.payload, others.scale);
  const Comparison comparison =
      compare(small, expected.views(), actual, {OutputBuffers::default_poison});
  if (!comparison.equal()) {
    Difference difference = comparison.differences.front();
    if (difference.tensor == "bank")
      difference.row = rows[static_cast<std::size_t>(difference.row)];
    result = fail(fmt::format("{} elements differ from those of the same rows in a small bank",
                              comparison.differing()),
                  "BIG-1");
    result.difference = difference;
    return result;
  }
  if (const auto page =
          stray_page(left.nonzero_pages, rows, static_cast<std::uint64_t>(row_bytes))) {
    return fail(
        fmt::format("the page at byte {} of the bank, which holds no written row, was written",
                    *page),
        "BIG-2");
  }
  return result;
}

}  // namespace

void add_big_chapter(Profile profile, std::uint64_t seed, std::vector<Case>& cases) {
  Chapter chapter("BIG", profile, seed, cases);
  constexpr BigCase big_cases[] = {
      {BankType::bf16, SnapshotForm::none, 64, 1},   {BankType::f32, SnapshotForm::none, 64, 1},
      {BankType::bf16, SnapshotForm::raw, 128, 2},   {BankType::f32, SnapshotForm::fp8, 256, 2},
      {BankType::bf16, SnapshotForm::none, 129, 3},  {BankType::f32, SnapshotForm::bf16, 30, 2},
      {BankType::bf16, SnapshotForm::int4, 1024, 2},
  };
  for (const BigCase& big : big_cases) {
    const std::string recipe = fmt::format("boundaries-{}-{}-hd{}", to_string(big.bank),
                                           to_string(big.form), big.head_dim);
    ProblemShape shape;
    shape.bank_type = big.bank;
    shape.snapshot = big.form;
    shape.head_dim = big.head_dim;
    const std::uint64_t recipe_seed = chapter.seed_of(recipe);
    chapter.add_case(
        recipe, {"BIG-1", "BIG-2"}, Profile::quick, coordinates_of(shape), std::uint64_t{64} << 20U,
        [big, recipe_seed](Harness& harness) { return judge_big(harness, big, recipe_seed); });
  }
}

}  // namespace chainwalk::conformance
