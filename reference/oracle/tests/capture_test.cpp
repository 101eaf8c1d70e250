// SPDX-License-Identifier: Apache-2.0
// The oracle reproduces every recorded problem bit for bit (REC, ARI, NUM, SNP, QNT).
#include "chainwalk/spec/capture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <vector>

#include "chainwalk/oracle/oracle.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::oracle::test {
namespace {

// Recorded problems of the tree, and those of a folder beside or inside it.
std::vector<std::filesystem::path> recorded_problems() {
  const std::filesystem::path root = CHAINWALK_SOURCE_DIR;
  std::vector<std::filesystem::path> folders{root / "spec/vectors", root / "shared/captures",
                                             root / "../shared/captures"};
  if (const char* named = std::getenv("CHAINWALK_CAPTURES")) folders.emplace_back(named);
  std::vector<std::filesystem::path> files;
  for (const auto& folder : folders) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The first byte that differs, or the size where none does.
std::size_t first_difference(std::span<const std::byte> a, std::span<const std::byte> b) {
  return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first -
                                  a.begin());
}

// Rows of a snapshot tensor that valid groups own (SNP-4).
std::vector<std::int64_t> written_rows(const Problem& problem) {
  std::vector<std::int64_t> rows;
  const ProblemShape& shape = problem.shape;
  for (std::int64_t chunk = 0; chunk < shape.steps() * shape.num_parallel; ++chunk) {
    for (const Group& group : groups_of(problem.chunk_records(chunk))) {
      if (group.ordinal >= 0) rows.push_back(chunk * shape.positions + group.ordinal);
    }
  }
  return rows;
}

void expect_rows_equal(std::span<const std::byte> actual, std::span<const std::byte> expected,
                       const std::vector<std::int64_t>& rows, std::int64_t row_bytes,
                       const char* name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  if (actual.empty()) return;
  const auto bytes = static_cast<std::size_t>(row_bytes);
  for (const std::int64_t row : rows) {
    const std::size_t at = static_cast<std::size_t>(row) * bytes;
    const std::size_t differs =
        first_difference(actual.subspan(at, bytes), expected.subspan(at, bytes));
    ASSERT_EQ(differs, bytes) << name << " row " << row << " differs at byte " << differs;
  }
}

TEST(OracleCaptures, EveryRecordedProblem) {
  const auto files = recorded_problems();
  ASSERT_FALSE(files.empty()) << "no recorded problem was found";
  for (const auto& file : files) {
    SCOPED_TRACE(file.string());
    const Capture capture = read_capture(file);
    ASSERT_TRUE(capture.has_expected);
    require_valid(capture.problem);
    const OutputBuffers outputs(capture.problem);
    oracle::run(capture.problem, outputs.views());
    const ConstOutputs actual = outputs.views();
    const auto rows = written_rows(capture.problem);
    const std::int64_t row_bytes = capture.problem.shape.snapshot_row_bytes();
    ASSERT_EQ(actual.bank.size(), capture.expected.bank.size());
    ASSERT_EQ(first_difference(actual.bank, capture.expected.bank), actual.bank.size());
    expect_rows_equal(actual.snapshot, capture.expected.snapshot, rows, row_bytes, "snapshot");
    expect_rows_equal(actual.payload, capture.expected.payload, rows, row_bytes, "payload");
    expect_rows_equal(std::as_bytes(actual.scale), std::as_bytes(capture.expected.scale), rows, 4,
                      "scale");
  }
  std::cout << files.size() << " recorded problems verified\n";
}

}  // namespace
}  // namespace chainwalk::oracle::test
