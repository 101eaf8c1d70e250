// SPDX-License-Identifier: Apache-2.0
// Every recorded problem at hand is read, valid, equal to its entry in the manifest, and written
// again without a change (CAP-5 to CAP-10; TIL-2 for the standard cut).
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/head.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

namespace fs = std::filesystem;
using tests::same_bytes;

std::vector<fs::path> captures_in(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The folder of further recordings: CHAINWALK_CAPTURES of the environment, else of the build.
fs::path further_captures() {
  const char* folder = std::getenv("CHAINWALK_CAPTURES");
  return folder != nullptr ? folder : CHAINWALK_CAPTURES_FOLDER;
}

void check_recording(const fs::path& path) {
  SCOPED_TRACE(path.filename().string());
  const Capture capture = read_capture(path);
  EXPECT_TRUE(capture.has_expected);
  EXPECT_FALSE(capture.device.empty());
  const auto faults = validate(capture.problem);
  EXPECT_TRUE(faults.empty()) << faults.front().message;
  EXPECT_TRUE(validate_outputs(capture.problem, capture.expected).empty());
  EXPECT_GT(capture.problem.shape.steps(), 0);

  const tests::TemporaryFolder folder;
  write_capture(folder / "again.safetensors", capture);
  const Capture again = read_capture(folder / "again.safetensors");
  EXPECT_EQ(again.problem.shape, capture.problem.shape);
  EXPECT_EQ(again.device, capture.device);
  EXPECT_EQ(again.source, capture.source);
  EXPECT_TRUE(same_bytes(again.problem.bank_before, capture.problem.bank_before));
  EXPECT_TRUE(same_bytes(again.problem.delta_v, capture.problem.delta_v));
  EXPECT_TRUE(same_bytes(again.problem.records, capture.problem.records));
  EXPECT_TRUE(same_bytes(again.problem.tile_bounds, capture.problem.tile_bounds));
  EXPECT_TRUE(same_bytes(again.problem.group_prefix, capture.problem.group_prefix));
  EXPECT_TRUE(same_bytes(again.expected.bank, capture.expected.bank));
  EXPECT_TRUE(same_bytes(again.expected.snapshot, capture.expected.snapshot));
  EXPECT_TRUE(same_bytes(again.expected.payload, capture.expected.payload));
  EXPECT_TRUE(same_bytes(again.expected.scale, capture.expected.scale));
}

TEST(Recordings, EveryVectorIsReadValidAndWrittenAgain) {
  const auto paths = captures_in(CHAINWALK_VECTORS_FOLDER);
  for (const fs::path& path : paths) check_recording(path);
  std::cout << "took " << paths.size() << " files of spec/vectors\n";
  EXPECT_GE(paths.size(), 21U);
}

TEST(Recordings, EveryFurtherRecordingIsReadValidAndWrittenAgain) {
  const fs::path folder = further_captures();
  if (!fs::is_directory(folder)) {
    GTEST_SKIP() << "no folder " << folder << "; CHAINWALK_CAPTURES may name one";
  }
  const auto paths = captures_in(folder);
  for (const fs::path& path : paths) check_recording(path);
  std::cout << "took " << paths.size() << " files of " << folder << "\n";
  EXPECT_FALSE(paths.empty()) << folder << " has no capture";
}

TEST(Recordings, ManifestTellsWhatTheFilesHold) {
  const fs::path folder = CHAINWALK_VECTORS_FOLDER;
  const auto manifest = nlohmann::json::parse(tests::read_file(folder / "manifest.json"));
  for (const auto& entry : manifest["files"]) {
    SCOPED_TRACE(entry["file"].get<std::string>());
    const Capture capture = read_capture(folder / entry["file"].get<std::string>());
    const ProblemShape& shape = capture.problem.shape;
    EXPECT_EQ(entry["device"], capture.device);
    EXPECT_EQ(entry["source"], capture.source);
    EXPECT_EQ(entry["bank"], to_string(shape.bank_type));
    EXPECT_EQ(entry["snapshot"], to_string(shape.snapshot));
    EXPECT_EQ(entry["head_class"],
              to_string(make_head(shape.head_dim, shape.bank_type).head_class));
    EXPECT_EQ(entry["slots"], shape.slots);
    EXPECT_EQ(entry["head_dim"], shape.head_dim);
    EXPECT_EQ(entry["num_chunks"], shape.num_chunks);
    EXPECT_EQ(entry["positions"], shape.positions);
    EXPECT_EQ(entry["num_parallel"], shape.num_parallel);
    EXPECT_EQ(entry["chunk_size"], shape.chunk_size);
    EXPECT_EQ(entry["delta_v_step_rows"], shape.delta_v_step_rows);
    EXPECT_EQ(entry["warps_per_block"], shape.warps_per_block);
    EXPECT_EQ(entry["blocks_per_chunk"], shape.blocks_per_chunk);
  }
}

// The recordings were cut by another implementation of TIL-2 and TIL-4.
TEST(Recordings, RuleTIL2StandardTilesAreThoseRecorded) {
  int standard = 0;
  for (const fs::path& path : captures_in(CHAINWALK_VECTORS_FOLDER)) {
    const Capture capture = read_capture(path);
    const ProblemShape& shape = capture.problem.shape;
    const Problem again =
        with_standard_tiles(capture.problem, shape.warps_per_block, shape.blocks_per_chunk);
    standard += same_bytes(again.tile_bounds, capture.problem.tile_bounds) &&
                        same_bytes(again.group_prefix, capture.problem.group_prefix)
                    ? 1
                    : 0;
  }
  std::cout << standard << " recordings have the standard tiles\n";
  EXPECT_GE(standard, 2);
}

}  // namespace
}  // namespace chainwalk
