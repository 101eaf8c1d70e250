// SPDX-License-Identifier: Apache-2.0
// Capture files: what is written is read again, whatever the form and the place of a tensor in the
// file (CAP-4 to CAP-8, CAP-10).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "capture_bytes.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

using tests::CaptureBytes;
using tests::same_bytes;
using tests::SmallProblem;
using tests::TemporaryFolder;

void expect_same(const Capture& a, const Capture& b) {
  EXPECT_EQ(a.problem.shape, b.problem.shape);
  EXPECT_TRUE(same_bytes(a.problem.bank_before, b.problem.bank_before));
  EXPECT_TRUE(same_bytes(a.problem.delta_v, b.problem.delta_v));
  EXPECT_TRUE(same_bytes(a.problem.records, b.problem.records));
  EXPECT_TRUE(same_bytes(a.problem.tile_bounds, b.problem.tile_bounds));
  EXPECT_TRUE(same_bytes(a.problem.group_prefix, b.problem.group_prefix));
  EXPECT_EQ(a.has_expected, b.has_expected);
  EXPECT_TRUE(same_bytes(a.expected.bank, b.expected.bank));
  EXPECT_TRUE(same_bytes(a.expected.snapshot, b.expected.snapshot));
  EXPECT_TRUE(same_bytes(a.expected.payload, b.expected.payload));
  EXPECT_TRUE(same_bytes(a.expected.scale, b.expected.scale));
  EXPECT_EQ(a.device, b.device);
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.metadata, b.metadata);
}

// The small problem with another form, bank type and head.
struct Made {
  SmallProblem small;
  std::unique_ptr<OutputBuffers> outputs;
  Capture capture;

  Made(BankType type, SnapshotForm form, std::int64_t head_dim, bool expected) {
    small.shape.bank_type = type;
    small.shape.snapshot = form;
    small.shape.head_dim = head_dim;
    const auto columns = static_cast<std::size_t>(head_dim);
    small.bank.assign(4 * static_cast<std::size_t>(small.shape.bank_row_bytes()), std::byte{7});
    small.delta_v.assign(32 * columns, 0.25F);
    capture.problem = small.problem();
    outputs = std::make_unique<OutputBuffers>(capture.problem);
    capture.has_expected = expected;
    if (expected) capture.expected = outputs->views();
    capture.device = "a device";
    capture.source = "caf\xC3\xA9 \"quoted\"\n";
    capture.metadata = {{"note", "kept"}};
  }
};

TEST(Capture, RoundTripOfEveryFormTypeAndOddHead) {
  const TemporaryFolder folder;
  const auto path = folder / "one.safetensors";
  int taken = 0;
  for (const BankType type : {BankType::bf16, BankType::f32}) {
    for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                    SnapshotForm::fp8, SnapshotForm::int4}) {
      for (const std::int64_t head_dim : {1, 3, 4, 7, 64}) {
        for (const bool expected : {false, true}) {
          const Made made(type, form, head_dim, expected);
          write_capture(path, made.capture);
          expect_same(read_capture(path), made.capture);
          ++taken;
        }
      }
    }
  }
  EXPECT_EQ(taken, 100);
}

TEST(Capture, RuleQNT10OddRowOfNibblesHasOneByteMore) {
  const TemporaryFolder folder;
  const Made made(BankType::bf16, SnapshotForm::int4, 7, true);
  write_capture(folder / "odd.safetensors", made.capture);
  const CaptureBytes bytes = CaptureBytes::load(folder / "odd.safetensors");
  EXPECT_EQ(bytes.header["payload"]["shape"], (nlohmann::json{30, 4}));
}

TEST(Capture, RuleCAP10DataIsAlignedAndInputsAreReadInPlace) {
  const TemporaryFolder folder;
  const Made made(BankType::f32, SnapshotForm::raw, 4, true);
  write_capture(folder / "one.safetensors", made.capture);
  const std::string file = tests::read_file(folder / "one.safetensors");
  EXPECT_EQ((8 + CaptureBytes::header_length(file)) % 64, 0U);
  EXPECT_EQ(CaptureBytes::load(folder / "one.safetensors").header["records"]["data_offsets"][0], 0);
}

TEST(Capture, RuleCAP8TensorsAtAnyOffsetAreAlignedInMemory) {
  const TemporaryFolder folder;
  const Made made(BankType::bf16, SnapshotForm::int4, 7, true);
  write_capture(folder / "one.safetensors", made.capture);
  CaptureBytes bytes = CaptureBytes::load(folder / "one.safetensors");
  for (const std::size_t padding : {0U, 1U, 2U, 3U, 5U, 8U, 15U}) {
    bytes.save(folder / "moved.safetensors", padding);
    const Capture read = read_capture(folder / "moved.safetensors");
    expect_same(read, made.capture);
    EXPECT_TRUE(validate(read.problem).empty()) << padding;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(read.expected.scale.data()) % 4, 0U);
  }
}

TEST(Capture, RuleCAP4OrderOfTensorsIsFree) {
  const TemporaryFolder folder;
  const Made made(BankType::f32, SnapshotForm::fp8, 3, true);
  write_capture(folder / "one.safetensors", made.capture);
  CaptureBytes bytes = CaptureBytes::load(folder / "one.safetensors");
  std::vector<std::string> names = bytes.tensor_names();
  std::sort(names.begin(), names.end());
  do {
    bytes.reorder(names);
    bytes.save(folder / "moved.safetensors");
    expect_same(read_capture(folder / "moved.safetensors"), made.capture);
  } while (std::next_permutation(names.begin() + 4, names.end()));
}

TEST(Capture, EmptyTensors) {
  const TemporaryFolder folder;
  SmallProblem small;
  small.shape.slots = small.shape.num_chunks = small.shape.positions = 0;
  small.bank.assign(0, std::byte{0});
  small.records.clear();
  small.bounds.clear();
  small.prefix.clear();
  Capture capture;
  capture.problem = small.problem();
  capture.has_expected = true;
  write_capture(folder / "empty.safetensors", capture);
  const Capture read = read_capture(folder / "empty.safetensors");
  expect_same(read, capture);
  EXPECT_TRUE(validate(read.problem).empty());
}

TEST(Capture, StorageOutlivesTheCaptureAndTheFile) {
  const TemporaryFolder folder;
  const Made made(BankType::f32, SnapshotForm::raw, 4, true);
  write_capture(folder / "one.safetensors", made.capture);
  Problem problem;
  {
    problem = read_capture(folder / "one.safetensors").problem;
    std::filesystem::remove(folder / "one.safetensors");
  }
  EXPECT_TRUE(same_bytes(problem.records, made.capture.problem.records));
}

TEST(Capture, RuleCAP10RefusesWhatDoesNotFitAndLeavesTheTargetAlone) {
  const TemporaryFolder folder;
  const auto path = folder / "kept.safetensors";
  tests::write_file(path, "kept");
  const auto refused = [&](auto&& change, const std::string& word) {
    Made made(BankType::f32, SnapshotForm::raw, 4, true);
    change(made.capture);
    try {
      write_capture(path, made.capture);
      ADD_FAILURE() << word << " was written";
    } catch (const InputError& error) {
      EXPECT_EQ(error.fault().rule, "CAP-10");
      EXPECT_NE(error.fault().message.find(word), std::string::npos) << error.fault().message;
    }
    EXPECT_EQ(tests::read_file(path), "kept");
  };
  refused([](Capture& c) { c.problem.bank_before = c.problem.bank_before.first(8); },
          "bank_before");
  refused([](Capture& c) { c.expected.snapshot = {}; }, "snapshot");
  refused([](Capture& c) { c.problem.shape.slots = -1; }, "slots is -1");
  refused([](Capture& c) { c.problem.shape.blocks_per_chunk = INT64_MAX; }, "tile_bounds");
  refused([](Capture& c) { c.device = "\xFF"; }, "UTF-8");
}

TEST(Capture, FilesThatCannotBeOpenedNameThePath) {
  const TemporaryFolder folder;
  for (const auto& path : {folder / "missing.safetensors", folder.path()}) {
    try {
      read_capture(path);
      ADD_FAILURE() << path;
    } catch (const std::system_error& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
  const Made made(BankType::f32, SnapshotForm::none, 4, true);
  EXPECT_THROW(write_capture(folder / "no/such.safetensors", made.capture), std::system_error);
}

}  // namespace
}  // namespace chainwalk
