// SPDX-License-Identifier: Apache-2.0
// Bitwise comparison of outputs, whole rows first, elements only where rows differ.
#include "chainwalk/conformance/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace chainwalk::conformance {
namespace {

// A tensor as bytes: rows of elements of `bits` bits (4, 8, 16 or 32), little-endian; of two
// nibbles of a byte the high one comes first (QNT-6).
struct Layout {
  std::string_view tensor;
  std::int64_t rows;
  std::int64_t row_bytes;
  unsigned bits;

  std::int64_t columns() const { return row_bytes * 8 / bits; }
};

std::uint32_t element_at(const std::byte* row, std::int64_t column, unsigned bits) {
  if (bits == 4) {
    const auto byte = std::to_integer<std::uint32_t>(row[column / 2]);
    return column % 2 == 0 ? byte >> 4U : byte & 15U;
  }
  std::uint32_t value = 0;
  for (unsigned byte = 0; byte < bits / 8; ++byte) {
    value |= std::to_integer<std::uint32_t>(row[column * (bits / 8) + byte]) << (8 * byte);
  }
  return value;
}

// Collects the differences of one tensor, row by row in ascending order.
class TensorComparer {
 public:
  explicit TensorComparer(const Layout& layout) : layout_(layout) {
    counts_.tensor = layout.tensor;
  }

  void row(std::int64_t row, const std::byte* expected, const std::byte* actual) {
    counts_.compared += layout_.columns();
    if (std::memcmp(expected, actual, static_cast<std::size_t>(layout_.row_bytes)) == 0) return;
    for (std::int64_t column = 0; column < layout_.columns(); ++column) {
      const std::uint32_t wanted = element_at(expected, column, layout_.bits);
      const std::uint32_t found = element_at(actual, column, layout_.bits);
      if (wanted == found) continue;
      if (counts_.differing++ > 0) continue;
      const unsigned digits = layout_.bits / 4;
      first_ = {std::string(layout_.tensor), row, column, fmt::format("0x{:0{}X}", wanted, digits),
                fmt::format("0x{:0{}X}", found, digits)};
    }
  }

  void finish(Comparison& comparison) {
    comparison.tensors.push_back(counts_);
    if (counts_.differing == 0) return;
    first_.count = counts_.differing;
    comparison.differences.push_back(first_);
  }

 private:
  Layout layout_;
  TensorComparison counts_;
  Difference first_;
};

void check_size(const Layout& layout, std::span<const std::byte> bytes, const char* side) {
  const auto wanted = static_cast<std::size_t>(layout.rows * layout.row_bytes);
  if (bytes.size() == wanted) return;
  throw std::invalid_argument(fmt::format("{} {} has {} bytes; the problem needs {}", side,
                                          layout.tensor, bytes.size(), wanted));
}

// SNP-1: rows chunk * n + g, 0 <= g < number of valid groups, of every chunk that runs.
std::vector<std::int64_t> written_rows_by_chunk(const Problem& problem) {
  const ProblemShape& shape = problem.shape;
  std::vector<std::int64_t> written(static_cast<std::size_t>(shape.num_chunks), 0);
  for (std::int64_t chunk = 0; chunk < shape.steps() * shape.num_parallel; ++chunk) {
    const auto records = problem.chunk_records(chunk);
    written[static_cast<std::size_t>(chunk)] =
        std::count_if(records.begin(), records.end(),
                      [](const Record& record) { return is_last(record) && !is_invalid(record); });
  }
  return written;
}

struct Pair {
  std::span<const std::byte> expected;
  std::span<const std::byte> actual;
};

void compare_bank(const Layout& layout, const Pair& pair, Comparison& comparison) {
  TensorComparer comparer(layout);
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    const std::int64_t offset = row * layout.row_bytes;
    comparer.row(row, pair.expected.data() + offset, pair.actual.data() + offset);
  }
  comparer.finish(comparison);
}

void compare_rows(const Layout& layout, const Pair& pair, std::int64_t positions,
                  const std::vector<std::int64_t>& written, const CompareOptions& options,
                  Comparison& comparison) {
  TensorComparer comparer(layout);
  const std::vector<std::byte> untouched(static_cast<std::size_t>(layout.row_bytes),
                                         options.poison.value_or(std::byte{0}));
  for (std::size_t chunk = 0; chunk < written.size(); ++chunk) {
    const std::int64_t first = static_cast<std::int64_t>(chunk) * positions;
    const std::int64_t looked_at = options.poison ? positions : written[chunk];
    for (std::int64_t ordinal = 0; ordinal < looked_at; ++ordinal) {
      const std::int64_t offset = (first + ordinal) * layout.row_bytes;
      const std::byte* expected =
          ordinal < written[chunk] ? pair.expected.data() + offset : untouched.data();
      comparer.row(first + ordinal, expected, pair.actual.data() + offset);
    }
  }
  comparer.finish(comparison);
}

bool is_bank_row_written(const Problem& problem, std::int64_t row) {
  const auto ran = static_cast<std::size_t>(problem.shape.steps() * problem.shape.num_parallel *
                                            problem.shape.positions);
  const auto records = problem.records.first(ran);
  return std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return is_last(record) && !is_invalid(record) && record.slot == row;
  });
}

}  // namespace

std::int64_t Comparison::compared() const noexcept {
  std::int64_t sum = 0;
  for (const TensorComparison& tensor : tensors) sum += tensor.compared;
  return sum;
}

std::int64_t Comparison::differing() const noexcept {
  std::int64_t sum = 0;
  for (const TensorComparison& tensor : tensors) sum += tensor.differing;
  return sum;
}

Comparison compare(const Problem& problem, const ConstOutputs& expected, const ConstOutputs& actual,
                   const CompareOptions& options) {
  const ProblemShape& shape = problem.shape;
  Comparison comparison;
  const auto element_bits = static_cast<unsigned>(8 * element_size(shape.bank_type));
  const Layout bank{"bank", shape.slots, shape.bank_row_bytes(), element_bits};
  check_size(bank, expected.bank, "expected");
  check_size(bank, actual.bank, "actual");
  compare_bank(bank, {expected.bank, actual.bank}, comparison);
  if (shape.snapshot == SnapshotForm::none) return comparison;

  const std::vector<std::int64_t> written = written_rows_by_chunk(problem);
  const auto compare_one = [&](const Layout& layout, const Pair& pair) {
    check_size(layout, pair.expected, "expected");
    check_size(layout, pair.actual, "actual");
    compare_rows(layout, pair, shape.positions, written, options, comparison);
  };
  const std::int64_t rows = shape.snapshot_rows();
  const std::int64_t row_bytes = shape.snapshot_row_bytes();
  if (is_dense(shape.snapshot)) {
    const unsigned bits = shape.snapshot == SnapshotForm::bf16 ? 16U : element_bits;
    compare_one({"snapshot", rows, row_bytes, bits}, {expected.snapshot, actual.snapshot});
  } else {
    const unsigned bits = shape.snapshot == SnapshotForm::int4 ? 4U : 8U;
    compare_one({"payload", rows, row_bytes, bits}, {expected.payload, actual.payload});
    compare_one({"scale", rows, 4, 32},
                {std::as_bytes(expected.scale), std::as_bytes(actual.scale)});
  }
  return comparison;
}

bool same_bytes(const ConstOutputs& a, const ConstOutputs& b) noexcept {
  const auto same = [](std::span<const std::byte> left, std::span<const std::byte> right) {
    return left.size() == right.size() &&
           (left.empty() || std::memcmp(left.data(), right.data(), left.size()) == 0);
  };
  return same(a.bank, b.bank) && same(a.snapshot, b.snapshot) && same(a.payload, b.payload) &&
         same(std::as_bytes(a.scale), std::as_bytes(b.scale));
}

std::vector<std::string> concerned_rules(const Problem& problem, const Difference& difference) {
  const ProblemShape& shape = problem.shape;
  if (difference.tensor == "bank") {
    if (!is_bank_row_written(problem, difference.row)) return {"BIG-2"};
    return {"ARI-1", "ARI-2", shape.bank_type == BankType::bf16 ? "ARI-3" : "NUM-1", "ARI-4"};
  }
  const std::int64_t chunk = difference.row / std::max<std::int64_t>(shape.positions, 1);
  const std::int64_t ordinal = difference.row - chunk * shape.positions;
  const std::vector<std::int64_t> written = written_rows_by_chunk(problem);
  if (chunk >= shape.num_chunks || ordinal >= written[static_cast<std::size_t>(chunk)]) {
    return {"SNP-1", "SNP-4"};
  }
  if (difference.tensor == "snapshot") {
    return {"SNP-1", shape.snapshot == SnapshotForm::bf16 ? "SNP-3" : "SNP-2"};
  }
  if (difference.tensor == "scale") return {"QNT-1", "QNT-2", "QNT-3"};
  return {"QNT-1", "QNT-4", shape.snapshot == SnapshotForm::fp8 ? "QNT-5" : "QNT-6"};
}

}  // namespace chainwalk::conformance
