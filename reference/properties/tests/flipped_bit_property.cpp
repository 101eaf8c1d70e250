// SPDX-License-Identifier: Apache-2.0
// One flipped bit: in an output it is found at its place; in an input, the reference and the oracle
// agree on what comes of it.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "chainwalk/oracle/oracle.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/tiles.h"
#include "changed_problem.h"
#include "drawn_case.h"

namespace chainwalk::properties {
namespace {

void flip(std::span<std::byte> bytes, std::size_t bit) {
  bytes[bit / 8] ^= std::byte{1} << static_cast<unsigned>(bit % 8);
}

TEST(FlippedBitProperty, AnOutputBitIsFoundAtItsPlace) {
  EXPECT_TRUE(rc::check("a flipped bit of an output is found", [] {
    const Problem problem = draw_problem();
    const OutputBuffers expected = run_reference(problem);
    const OutputBuffers actual = run_reference(problem);
    struct Tensor {
      const char* name;
      std::span<std::byte> bytes;
      std::int64_t row_bytes;
      std::int64_t element_bits;
    };
    const ProblemShape& shape = problem.shape;
    const std::int64_t bank_bits = 8 * element_size(shape.bank_type);
    const std::vector<Tensor> all{{"bank", actual.views().bank, shape.bank_row_bytes(), bank_bits},
                                  {"snapshot", actual.views().snapshot, shape.snapshot_row_bytes(),
                                   shape.snapshot == SnapshotForm::bf16 ? 16 : bank_bits},
                                  {"payload", actual.views().payload, shape.snapshot_row_bytes(),
                                   shape.snapshot == SnapshotForm::int4 ? 4 : 8},
                                  {"scale", std::as_writable_bytes(actual.views().scale), 4, 32}};
    std::vector<Tensor> given;
    std::copy_if(all.begin(), all.end(), std::back_inserter(given),
                 [](const Tensor& tensor) { return !tensor.bytes.empty(); });
    RC_PRE(!given.empty());
    const Tensor tensor = given[*rc::gen::inRange<std::size_t>(0, given.size())];
    const auto bit = *rc::gen::inRange<std::size_t>(0, tensor.bytes.size() * 8);
    flip(tensor.bytes, bit);
    const auto result = conformance::compare(problem, expected.views(), actual.views(),
                                             {.poison = actual.poison()});
    RC_ASSERT(result.differences.size() == 1U);
    const auto& found = result.differences.front();
    const auto row_bits = static_cast<std::size_t>(tensor.row_bytes * 8);
    std::size_t column = bit % row_bits / static_cast<std::size_t>(tensor.element_bits);
    if (tensor.element_bits == 4) column ^= 1U;  // QNT-6: the even column is the high nibble
    RC_ASSERT(found.tensor == tensor.name);
    RC_ASSERT(found.row == static_cast<std::int64_t>(bit / row_bits));
    RC_ASSERT(found.column == static_cast<std::int64_t>(column));
    RC_ASSERT(found.count == 1);
  }));
}

// Flips one bit of an input; then either both models leave the same bits, or the validator refuses
// the problem for both.
void flip_an_input_bit(const Problem& problem) {
  ChangedProblem changed(problem);
  const std::vector<std::span<std::byte>> tensors{
      changed.bank_span(), std::as_writable_bytes(std::span(changed.delta_v)),
      std::as_writable_bytes(std::span(changed.records)),
      std::as_writable_bytes(std::span(changed.tile_bounds)),
      std::as_writable_bytes(std::span(changed.group_prefix))};
  const auto which = *rc::gen::inRange<std::size_t>(0, tensors.size());
  RC_PRE(!tensors[which].empty());
  const auto bit = *rc::gen::inRange<std::size_t>(0, tensors[which].size() * 8);
  RC_LOG() << "tensor " << which << ", bit " << bit << '\n';
  flip(tensors[which], bit);
  const Problem view = changed.view();
  if (!validate(view).empty()) {
    // Values of float tensors are never malformed.
    RC_ASSERT(which >= 2U);
    return;
  }
  OutputBuffers expected(view);
  oracle::run(view, expected.views());
  assert_same(view, expected, run_reference(view));
}

TEST(FlippedBitProperty, AnInputBitHasTheSameOutcomeForBothModels) {
  EXPECT_TRUE(rc::check("a flipped bit of a random problem's input", [] {
    flip_an_input_bit(draw_problem({.head_dim = 64, .positions = 60}));
  }));
}

TEST(FlippedBitProperty, AnInputBitOfARecordedFileHasTheSameOutcomeForBothModels) {
  std::vector<std::filesystem::path> files;
  constexpr std::uintmax_t largest = 200'000;  // the oracle walks each file many times
  if (std::filesystem::is_directory(CHAINWALK_VECTORS)) {
    for (const auto& entry : std::filesystem::directory_iterator(CHAINWALK_VECTORS)) {
      if (entry.path().extension() == ".safetensors" && entry.file_size() <= largest) {
        files.push_back(entry.path());
      }
    }
  }
  if (files.empty()) GTEST_SKIP() << "there are no recorded problems in " << CHAINWALK_VECTORS;
  std::sort(files.begin(), files.end());
  EXPECT_TRUE(rc::check("a flipped bit of a recorded input", [&] {
    const auto& file = files[*rc::gen::inRange<std::size_t>(0, files.size())];
    RC_LOG() << file.string() << '\n';
    flip_an_input_bit(read_capture(file).problem);
  }));
}

}  // namespace
}  // namespace chainwalk::properties
