// SPDX-License-Identifier: Apache-2.0
// Pre-write rows that are read from a snapshot of more than 2^31 and 2^32 rows, on both sides of
// each (BIG-1, SRC-2). One-slice heads only: rows of two slices take over 500 GiB there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "chainwalk/cuda/launch.h"
#include "chainwalk/cuda/memory.h"
#include "chainwalk/plan/plan.h"
#include "chainwalk/reference/reference.h"
#include "large_rows.h"
#include "on_gpu.h"

namespace chainwalk::cuda {
namespace {

using GpuMemory = OnGpu;

constexpr std::int64_t head_dim = 8;  // the narrowest regular head
constexpr std::int64_t row_words = head_dim / 2;

class LargeDenseRows {
 public:
  explicit LargeDenseRows(std::vector<std::int64_t> steps)
      : steps_(std::move(steps)),
        small_(BankType::bf16, SnapshotForm::none, head_dim,
               static_cast<std::int64_t>(steps_.size())),
        problem_(small_.view()),
        chunks_(steps_.back() + 1),
        bank_(copy_of(small_.bank)),
        delta_v_(copy_of(small_.delta_v)),
        records_(placed(problem_.records, steps_)),
        tile_bounds_(placed(problem_.tile_bounds, steps_)),
        group_prefix_(placed(problem_.group_prefix, steps_)),
        dense_rows_(0, static_cast<std::uint64_t>(rows() * row_words) * 4) {
    fill_by_index(0, dense_rows_.data(), dense_rows_.size(), seed);
    make_request();
  }

  std::int64_t rows() const { return chunks_ * positions; }

  void check(const device::KernelTraits& kernel) {
    request_.wish.kernel = std::string(kernel.name);
    const auto made = plan::make_plan(request_, device_class(0));
    ASSERT_TRUE(std::holds_alternative<plan::Plan>(made)) << kernel.name;
    std::unique_ptr<BoundPlan> bound;
    const auto refusal = BoundPlan::bind(std::get<plan::Plan>(made), request_, 0, &bound);
    ASSERT_FALSE(refusal) << kernel.name << ": " << refusal->message;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      bank_.upload(0, problem_.bank_before);
      const auto refused = bound->launch(steps_[i], 0, nullptr);
      ASSERT_FALSE(refused) << kernel.name << ": " << refused->message;
      synchronize(0, nullptr);
      std::vector<std::byte> found(bank_.size());
      bank_.download(0, found);
      EXPECT_TRUE(std::ranges::equal(found, expected_bank(i)))
          << kernel.name << ": the bank after the step of rows " << steps_[i] * positions
          << " and on";
    }
    std::uint64_t total = 0;
    find_stray_writes(0, dense_rows_.data(), rows(), row_words * 4, seed, {}, 1, &total);
    EXPECT_EQ(total, 0U) << kernel.name << " wrote rows that it reads";
  }

 private:
  static constexpr std::uint64_t seed = 14;

  // The bank after step `i` alone, whose base rows are the snapshot's.
  std::vector<std::byte> expected_bank(std::size_t i) const {
    const auto chunk = static_cast<std::int64_t>(i);
    Problem step = problem_;
    step.records = problem_.chunk_records(chunk);
    step.tile_bounds = problem_.chunk_tile_bounds(chunk);
    step.group_prefix = problem_.chunk_group_prefix(chunk);
    step.shape.num_chunks = 1;
    std::vector<std::uint32_t> bank(small_.bank.size());
    for (std::int64_t g = 0; g < positions; ++g) {
      const std::int64_t slot = step.records[static_cast<std::size_t>(g)].slot;
      const std::int64_t row = steps_[i] * positions + g;
      for (std::int64_t word = 0; word < row_words; ++word) {
        bank[static_cast<std::size_t>(slot * row_words + word)] =
            index_word(seed, static_cast<std::uint64_t>(row * row_words + word));
      }
    }
    step.bank_before = std::as_bytes(std::span(bank));
    const OutputBuffers expected(step);
    reference::run(step, expected.views());
    return {expected.views().bank.begin(), expected.views().bank.end()};
  }

  void make_request() {
    request_ = plan::request_for(problem_, Outputs{});
    request_.bank.data = bank_.data();
    request_.delta_v.data = delta_v_.data();
    const auto place = [&](plan::Tensor& tensor, const DeviceBuffer& buffer) {
      tensor.data = buffer.data();
      tensor.shape[0] = chunks_;
    };
    place(request_.records, records_);
    place(request_.tile_bounds, tile_bounds_);
    place(request_.group_prefix, group_prefix_);
    request_.snapshot = request_.bank;  // of its type and columns
    request_.snapshot.data = dense_rows_.data();
    request_.snapshot.shape[0] = rows();
    request_.snapshot_step = 1;
    request_.wish.source = device::BaseSource::dense_rows;
  }

  std::vector<std::int64_t> steps_;
  SmallProblem small_;
  Problem problem_;
  std::int64_t chunks_;  // N
  DeviceBuffer bank_, delta_v_, records_, tile_bounds_, group_prefix_, dense_rows_;
  plan::Request request_;
};

TEST_F(GpuMemory, DenseRowsOverTwoToThe31Rows) {
  const auto edges = edges_that_fit(sizeof(Record) + row_words * 4);
  if (edges.empty()) GTEST_SKIP() << "1 case not run: the device is too small";
  LargeDenseRows large(steps_around(edges));
  int kernels = 0;
  for (const auto& kernel : device::kernel_family) {
    if (kernel.source != device::BaseSource::dense_rows || kernel.form != device::Form::slices) {
      continue;
    }
    large.check(kernel);
    ++kernels;
  }
  EXPECT_GT(kernels, 0);
  fmt::print("{} kernels read dense rows of {}\n", kernels, large.rows());
}

}  // namespace
}  // namespace chainwalk::cuda
