// SPDX-License-Identifier: Apache-2.0
// The oracle reproduces every recorded problem bit for bit (REC, ARI, NUM, SNP, QNT).
#include "chainwalk/spec/capture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/oracle/oracle.h"
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
    const auto comparison =
        conformance::compare(capture.problem, capture.expected, outputs.views());
    for (const auto& difference : comparison.differences) {
      ADD_FAILURE() << difference.tensor << " row " << difference.row << " column "
                    << difference.column << ": recorded " << difference.expected << ", oracle "
                    << difference.actual << ", " << difference.count << " differ";
    }
  }
  std::cout << files.size() << " recorded problems verified\n";
}

}  // namespace
}  // namespace chainwalk::oracle::test
