// SPDX-License-Identifier: Apache-2.0
// Recorded problems: the reference leaves the bits that a GPU left (REC, ARI, NUM, SNP, QNT, TIL,
// DET-1), for every instruction set and several numbers of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <span>
#include <vector>

#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"
#include "outputs_equal.h"

namespace chainwalk::reference {
namespace {

std::vector<std::filesystem::path> capture_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {CHAINWALK_VECTORS, CHAINWALK_CAPTURES}) {
    if (!std::filesystem::is_directory(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Rows of valid groups are compared; the others must keep the poison (SNP-4).
::testing::AssertionResult rows_equal(const char* tensor, const Problem& problem,
                                      std::span<const std::byte> observed,
                                      std::span<const std::byte> expected, std::byte poison) {
  const ProblemShape& shape = problem.shape;
  const std::int64_t rows = shape.snapshot_rows();
  if (observed.size() != expected.size()) return ::testing::AssertionFailure() << tensor << " size";
  const std::size_t bytes = rows == 0 ? 0 : observed.size() / static_cast<std::size_t>(rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t chunk = row / shape.positions;
    const auto groups = groups_of(problem.chunk_records(chunk));
    const auto valid = std::count_if(groups.begin(), groups.end(),
                                     [](const Group& group) { return group.ordinal >= 0; });
    const bool written =
        chunk < shape.steps() * shape.num_parallel && row % shape.positions < valid;
    const auto found = observed.subspan(static_cast<std::size_t>(row) * bytes, bytes);
    const auto needed = expected.subspan(static_cast<std::size_t>(row) * bytes, bytes);
    const bool right =
        written ? std::ranges::equal(found, needed)
                : std::ranges::all_of(found, [&](std::byte byte) { return byte == poison; });
    if (!right) return ::testing::AssertionFailure() << tensor << " row " << row;
  }
  return ::testing::AssertionSuccess();
}

void expect_recorded(const Capture& capture, const Options& options) {
  const Problem& problem = capture.problem;
  const OutputBuffers buffers(problem);
  run(problem, buffers.views(), options);
  const Outputs& observed = buffers.views();
  const std::byte poison = buffers.poison();
  EXPECT_TRUE(bytes_equal("bank", observed.bank, capture.expected.bank));
  EXPECT_TRUE(
      rows_equal("snapshot", problem, observed.snapshot, capture.expected.snapshot, poison));
  EXPECT_TRUE(rows_equal("payload", problem, observed.payload, capture.expected.payload, poison));
  EXPECT_TRUE(rows_equal("scale", problem, std::as_bytes(observed.scale),
                         std::as_bytes(capture.expected.scale), poison));
}

// Every instruction set, and several numbers of threads on the best one.
std::vector<Options> options_to_try() {
  std::vector<Options> options{{1, InstructionSet::best}, {5, InstructionSet::best}};
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2,
                                   InstructionSet::avx512, InstructionSet::avx512_bf16}) {
    if (is_available(set)) options.push_back({2, set});
  }
  return options;
}

TEST(Captures, EveryFileIsReproduced) {
  const auto files = capture_files();
  ASSERT_FALSE(files.empty()) << "no recorded problem in " CHAINWALK_VECTORS;
  std::size_t runs = 0;
  for (const auto& file : files) {
    const Capture capture = read_capture(file);
    ASSERT_TRUE(capture.has_expected) << file;
    ASSERT_TRUE(validate(capture.problem).empty()) << file;
    for (const Options& options : options_to_try()) {
      SCOPED_TRACE(file.string() + ", " + to_string(options.instruction_set) + ", threads " +
                   std::to_string(options.threads));
      expect_recorded(capture, options);
      ++runs;
    }
  }
  RecordProperty("files", static_cast<int>(files.size()));
  RecordProperty("runs", static_cast<int>(runs));
  std::printf("%zu recorded problems, %zu runs\n", files.size(), runs);
}

}  // namespace
}  // namespace chainwalk::reference
