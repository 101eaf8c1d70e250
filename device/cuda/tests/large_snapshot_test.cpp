// SPDX-License-Identifier: Apache-2.0
// Snapshots of more than 2^31 and 2^32 rows: steps whose rows lie on both sides of those are walked
// by every kernel that serves so narrow a row, and every other row is watched (BIG-1, BIG-2, SNP-1,
// SNP-4).
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

// An output of the large problem: rows filled by index before a walk, and the rows it must get.
struct RowOutput {
  std::int64_t row_bytes;
  std::span<const std::byte> expected;  // of the small problem: [steps.size() * n] rows
  DeviceBuffer memory;
};

class LargeSnapshot {
 public:
  LargeSnapshot(const SmallProblem& small, std::vector<std::int64_t> steps)
      : steps_(std::move(steps)),
        problem_(small.view()),
        expected_(problem_),
        chunks_(steps_.back() + 1),
        bank_(copy_of(small.bank)),
        delta_v_(copy_of(small.delta_v)),
        records_(placed(problem_.records, steps_)),
        tile_bounds_(placed(problem_.tile_bounds, steps_)),
        group_prefix_(placed(problem_.group_prefix, steps_)) {
    reference::run(problem_, expected_.views());
    const Outputs& views = expected_.views();
    if (is_quantized(problem_.shape.snapshot)) {
      add_output(views.payload);
      add_output(std::as_bytes(views.scale));
    } else {
      add_output(views.snapshot);
    }
    make_request();
    for (const std::int64_t step : steps_) {
      for (std::int64_t g = 0; g < positions; ++g) written_.push_back(step * positions + g);
    }
  }

  std::int64_t rows() const { return chunks_ * positions; }

  // Whether the kernel serves the problem; where it does, every byte of its outputs is checked.
  bool check(const device::KernelTraits& kernel) {
    request_.wish.kernel = std::string(kernel.name);
    const auto made = plan::make_plan(request_, device_class(0));
    if (!std::holds_alternative<plan::Plan>(made)) return false;
    bank_.upload(0, problem_.bank_before);
    for (const RowOutput& output : outputs_) {
      fill_by_index(0, output.memory.data(), output.memory.size(), seed);
    }
    std::unique_ptr<BoundPlan> bound;
    const auto refusal = BoundPlan::bind(std::get<plan::Plan>(made), request_, 0, &bound);
    EXPECT_FALSE(refusal) << kernel.name << ": " << refusal->message;
    if (refusal) return true;
    for (const std::int64_t step : steps_) {
      const auto refused = bound->launch(step, 0, nullptr);
      EXPECT_FALSE(refused) << kernel.name << ": " << refused->message;
    }
    synchronize(0, nullptr);
    compare(bank_, 0, expected_.views().bank, std::string(kernel.name) + ": bank");
    for (const RowOutput& output : outputs_) check_output(output, kernel.name);
    return true;
  }

 private:
  static constexpr std::uint64_t seed = 13;

  void add_output(std::span<const std::byte> expected) {
    const auto row_bytes = static_cast<std::int64_t>(expected.size()) /
                           (static_cast<std::int64_t>(steps_.size()) * positions);
    outputs_.push_back(
        {row_bytes, expected, DeviceBuffer(0, static_cast<std::uint64_t>(rows() * row_bytes))});
  }

  void make_request() {
    request_ = plan::request_for(problem_, expected_.views());
    request_.bank.data = bank_.data();
    request_.delta_v.data = delta_v_.data();
    const auto place = [](plan::Tensor& tensor, const DeviceBuffer& buffer, std::int64_t count) {
      tensor.data = buffer.data();
      tensor.shape[0] = count;
    };
    place(request_.records, records_, chunks_);
    place(request_.tile_bounds, tile_bounds_, chunks_);
    place(request_.group_prefix, group_prefix_, chunks_);
    if (is_quantized(problem_.shape.snapshot)) {
      place(request_.payload, outputs_[0].memory, rows());
      place(request_.scale, outputs_[1].memory, rows());
    } else {
      place(request_.snapshot, outputs_[0].memory, rows());
    }
  }

  static void compare(const DeviceBuffer& buffer, std::uint64_t offset,
                      std::span<const std::byte> expected, const std::string& place) {
    std::vector<std::byte> found(expected.size());
    buffer.download(offset, found);
    const auto [at, other] = std::ranges::mismatch(found, expected);
    EXPECT_EQ(at, found.end()) << place << " differs first at byte " << at - found.begin();
  }

  void check_output(const RowOutput& output, std::string_view kernel) const {
    const auto chunk_bytes = static_cast<std::uint64_t>(positions * output.row_bytes);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      compare(output.memory, static_cast<std::uint64_t>(steps_[i]) * chunk_bytes,
              output.expected.subspan(i * chunk_bytes, chunk_bytes),
              fmt::format("{}: rows of {} bytes from row {}", kernel, output.row_bytes,
                          steps_[i] * positions));
    }
    std::uint64_t total = 0;
    const auto strays = find_stray_writes(0, output.memory.data(), rows(), output.row_bytes, seed,
                                          written_, 4, &total);
    EXPECT_EQ(total, 0U) << kernel << ": stray write in row " << strays.front().row << " of "
                         << output.row_bytes << " bytes";
  }

  std::vector<std::int64_t> steps_;
  Problem problem_;
  OutputBuffers expected_;
  std::int64_t chunks_;  // N
  DeviceBuffer bank_, delta_v_, records_, tile_bounds_, group_prefix_;
  std::vector<RowOutput> outputs_;
  std::vector<std::int64_t> written_;
  plan::Request request_;
};

// Bytes of a row and of its record.
std::uint64_t bytes_a_row(const ProblemShape& shape) {
  const std::int64_t scale_bytes = is_quantized(shape.snapshot) ? 4 : 0;
  return sizeof(Record) + static_cast<std::uint64_t>(shape.snapshot_row_bytes() + scale_bytes);
}

struct NarrowRows {
  BankType bank;
  SnapshotForm form;
  std::int64_t head_dim;
};
// The narrowest heads of 16-byte bank rows, and of rows that no such access serves.
constexpr std::array<NarrowRows, 10> narrow_rows = {{{BankType::bf16, SnapshotForm::raw, 8},
                                                     {BankType::bf16, SnapshotForm::raw, 2},
                                                     {BankType::bf16, SnapshotForm::fp8, 8},
                                                     {BankType::bf16, SnapshotForm::int4, 8},
                                                     {BankType::f32, SnapshotForm::raw, 4},
                                                     {BankType::f32, SnapshotForm::raw, 2},
                                                     {BankType::f32, SnapshotForm::bf16, 8},
                                                     {BankType::f32, SnapshotForm::bf16, 2},
                                                     {BankType::f32, SnapshotForm::fp8, 8},
                                                     {BankType::f32, SnapshotForm::int4, 8}}};

TEST_F(GpuMemory, SnapshotsOverTwoToThe31Rows) {
  int tried = 0;
  for (const NarrowRows& narrow : narrow_rows) {
    const std::string what =
        fmt::format("{} rows of {} columns of a {} bank", to_string(narrow.form), narrow.head_dim,
                    to_string(narrow.bank));
    SmallProblem small(narrow.bank, narrow.form, narrow.head_dim, 1);
    const auto edges = edges_that_fit(bytes_a_row(small.shape));
    if (edges.empty()) {
      fmt::print("{}: not tried, 2^31 of {} bytes do not fit into {} free bytes\n", what,
                 bytes_a_row(small.shape), free_bytes(0));
      continue;
    }
    const std::vector<std::int64_t> steps = steps_around(edges);
    small = SmallProblem(narrow.bank, narrow.form, narrow.head_dim,
                         static_cast<std::int64_t>(steps.size()));
    LargeSnapshot large(small, steps);
    int kernels = 0;
    for (const auto& kernel : device::kernel_family) {
      const bool fits = kernel.bank == narrow.bank && kernel.snapshot == narrow.form;
      if (fits && large.check(kernel)) ++kernels;
    }
    EXPECT_GT(kernels, 0) << what;
    fmt::print("{} kernels wrote {} of {} {}\n", kernels, steps.size() * positions, large.rows(),
               what);
    ++tried;
  }
  if (tried == 0) GTEST_SKIP() << "1 case not run: the device is too small";
}

}  // namespace
}  // namespace chainwalk::cuda
