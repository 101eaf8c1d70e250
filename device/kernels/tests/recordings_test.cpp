// SPDX-License-Identifier: Apache-2.0
// Every recorded problem by every member that serves it: the bits of the reference, which are those
// of the recording (GEO-4, TIL-5, DET-1).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "chainwalk/spec/capture.h"
#include "kernel_case.h"

namespace chainwalk::device {
namespace {

// Larger recordings wait for a GPU: they are slow to emulate by every member.
constexpr std::int64_t most_elements = 4 << 20;

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CHAINWALK_VECTORS_FOLDER)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Recordings, EveryMemberThatServesOneLeavesItsBits) {
  int runs = 0;
  for (const auto& path : recordings()) {
    const Capture capture = read_capture(path);
    const ProblemShape& shape = capture.problem.shape;
    if (shape.steps() * shape.num_parallel * shape.positions * shape.head_dim > most_elements) {
      std::printf("left to a GPU: %s\n", path.filename().c_str());
      continue;
    }
    int members = 0;
    for (std::size_t kernel = 0; kernel < kernel_count; ++kernel) {
      emulator::Schedule schedule;
      schedule.kind = emulator::ScheduleKind::random;
      schedule.seed = kernel;
      const Outcome outcome = run_case(capture.problem, kernel, {schedule});
      if (!outcome.ran) continue;
      ++members;
      EXPECT_TRUE(outcome.mismatch.empty() && outcome.findings.empty())
          << path.filename() << " by " << kernel_family[kernel].name << ": " << outcome.mismatch
          << (outcome.findings.empty() ? "" : outcome.findings.front().message);
    }
    EXPECT_GT(members, 0) << path.filename() << " is served by no member";
    runs += members;
  }
  EXPECT_GT(runs, 0);
  std::printf("%d runs\n", runs);
}

}  // namespace
}  // namespace chainwalk::device
