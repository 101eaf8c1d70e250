// SPDX-License-Identifier: Apache-2.0
// Memory on a GPU: content by index, fingerprints, stray writes located, and banks over 4 GiB whose
// rows beyond 2^32 bytes are walked (BIG-1, BIG-2).
#include "chainwalk/cuda/memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "chainwalk/cuda/launch.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/tiles.h"
#include "device_copy.h"
#include "on_gpu.h"

namespace chainwalk::cuda {
namespace {

using GpuMemory = OnGpu;

TEST_F(GpuMemory, ContentIsAFunctionOfTheIndex) {
  DeviceBuffer buffer(0, 1 << 20);
  fill_by_index(0, buffer.data(), buffer.size(), 5);
  std::vector<std::uint32_t> words(buffer.size() / 4);
  buffer.download(0, std::as_writable_bytes(std::span(words)));
  for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], index_word(5, i)) << i;
}

TEST_F(GpuMemory, OneBitChangesTheFingerprintAndIsLocated) {
  constexpr std::int64_t row_bytes = 260;
  constexpr std::int64_t rows = 4000;
  DeviceBuffer buffer(0, rows * row_bytes);
  fill_by_index(0, buffer.data(), buffer.size(), 6);
  const std::uint64_t before = fingerprint(0, buffer.data(), buffer.size());
  EXPECT_EQ(before, fingerprint(0, buffer.data(), buffer.size()));
  std::uint64_t total = 1;
  EXPECT_TRUE(find_stray_writes(0, buffer.data(), rows, row_bytes, 6, {}, 8, &total).empty());
  EXPECT_EQ(total, 0U);
  for (const std::int64_t row : {17, 3999}) {
    std::array<std::byte, 1> byte{};
    const auto offset = static_cast<std::uint64_t>(row * row_bytes + 131);
    buffer.download(offset, byte);
    byte[0] ^= std::byte{1};
    buffer.upload(offset, byte);
  }
  EXPECT_NE(before, fingerprint(0, buffer.data(), buffer.size()));
  const std::vector<std::int64_t> written{17};
  const auto strays = find_stray_writes(0, buffer.data(), rows, row_bytes, 6, written, 8, &total);
  ASSERT_EQ(strays.size(), 1U);
  EXPECT_EQ(total, 1U);
  EXPECT_EQ(strays[0].row, 3999);
  EXPECT_EQ(strays[0].byte, 131);
}

// One step of single-member groups on named rows of a large bank, and the same rows in a small bank
// for the reference.
class LargeBank {
 public:
  LargeBank(BankType type, std::int64_t head_dim, std::uint64_t bytes)
      : row_bytes_(head_dim * element_size(type)),
        slots_(static_cast<std::int64_t>(bytes) / row_bytes_ / 8 * 8),
        bank_(0, static_cast<std::uint64_t>(slots_ * row_bytes_)) {
    choose_rows();
    make_shape(type, head_dim);
    make_problem();
  }

  std::size_t rows() const { return rows_.size(); }
  std::uint64_t bytes() const { return bank_.size(); }

  // Whether the kernel serves the bank; where it does, every byte of the bank is checked.
  bool check(const device::KernelTraits& kernel) {
    request_.wish.kernel = std::string(kernel.name);
    const auto made = plan::make_plan(request_, device_class(0));
    if (!std::holds_alternative<plan::Plan>(made)) return false;
    fill_by_index(0, bank_.data(), bank_.size(), seed);
    std::unique_ptr<BoundPlan> bound;
    const auto refusal = BoundPlan::bind(std::get<plan::Plan>(made), request_, 0, &bound);
    EXPECT_FALSE(refusal) << refusal->message;
    if (refusal) return true;
    EXPECT_FALSE(bound->launch(0, 0, nullptr));
    synchronize(0, nullptr);
    std::vector<std::byte> row(static_cast<std::size_t>(row_bytes_));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      bank_.download(static_cast<std::uint64_t>(rows_[i] * row_bytes_), row);
      const auto wanted = std::span(expected_).subspan(i * row.size(), row.size());
      EXPECT_TRUE(std::ranges::equal(row, wanted)) << kernel.name << ": row " << rows_[i];
    }
    std::uint64_t total = 0;
    const auto strays =
        find_stray_writes(0, bank_.data(), slots_, row_bytes_, seed, rows_, 4, &total);
    EXPECT_EQ(total, 0U) << kernel.name << ": stray write in row " << strays.front().row;
    return true;
  }

 private:
  static constexpr std::uint64_t seed = 8;

  // The ends, and both sides of every 2^32-byte boundary: a row whose offset wraps lands on a row
  // that is watched or one that is written with other values.
  void choose_rows() {
    rows_ = {1, slots_ - 1};
    constexpr std::int64_t wrap = std::int64_t{1} << 32U;
    for (std::int64_t edge = wrap; edge < slots_ * row_bytes_; edge += wrap) {
      rows_.push_back(edge / row_bytes_ - 1);
      rows_.push_back(edge / row_bytes_ + 2);
    }
    std::ranges::sort(rows_);
    rows_.erase(std::ranges::unique(rows_).begin(), rows_.end());
  }

  void make_shape(BankType type, std::int64_t head_dim) {
    shape_.bank_type = type;
    shape_.slots = shape_.positions = static_cast<std::int64_t>(rows_.size());
    shape_.head_dim = head_dim;
    shape_.num_chunks = shape_.num_parallel = 1;
    shape_.chunk_size = shape_.delta_v_rows = 16;
    shape_.warps_per_block = 8;
    shape_.blocks_per_chunk = 1;
  }

  void make_problem() {
    fill_by_index(0, bank_.data(), bank_.size(), seed);
    std::vector<std::byte> small(rows_.size() * static_cast<std::size_t>(row_bytes_));
    std::vector<Record> records;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      bank_.download(static_cast<std::uint64_t>(rows_[i] * row_bytes_),
                     std::span(small).subspan(i * static_cast<std::size_t>(row_bytes_),
                                              static_cast<std::size_t>(row_bytes_)));
      const auto token = static_cast<std::uint32_t>(i % 16) << record_token_shift;
      records.push_back({record_first | record_last | token, static_cast<std::uint32_t>(i),
                         0x3F400000U, 0x3F700000U});
    }
    std::vector<float> delta_v(static_cast<std::size_t>(16 * shape_.head_dim));
    for (std::size_t i = 0; i < delta_v.size(); ++i) {
      delta_v[i] = static_cast<float>(i % 251) * 0.01F - 1.0F;
    }
    const auto bounds = standard_tile_bounds(records, 8);
    const auto prefix = group_prefix_of(records, bounds);
    const Problem problem{shape_, small, delta_v, records, bounds, prefix, {}};
    const OutputBuffers expected(problem);
    reference::run(problem, expected.views());
    expected_.assign(expected.views().bank.begin(), expected.views().bank.end());
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i].slot = static_cast<std::uint32_t>(rows_[i]);
    }
    inputs_.push_back(copy_of(delta_v));
    inputs_.push_back(copy_of(records));
    inputs_.push_back(copy_of(bounds));
    inputs_.push_back(copy_of(prefix));
    request_ = plan::request_for(problem, Outputs{});
    request_.bank.data = bank_.data();
    request_.bank.shape[0] = slots_;
    request_.delta_v.data = inputs_[0].data();
    request_.records.data = inputs_[1].data();
    request_.tile_bounds.data = inputs_[2].data();
    request_.group_prefix.data = inputs_[3].data();
  }

  std::int64_t row_bytes_;
  std::int64_t slots_;
  DeviceBuffer bank_;
  std::vector<DeviceBuffer> inputs_;
  std::vector<std::int64_t> rows_;
  std::vector<std::byte> expected_;
  ProblemShape shape_;
  plan::Request request_;
};

void walk_large_bank(BankType type, std::int64_t head_dim, std::uint64_t bytes) {
  LargeBank bank(type, head_dim, bytes);
  std::int64_t kernels = 0;
  for (const auto& kernel : device::kernel_family) {
    const bool fits = kernel.bank == type && kernel.snapshot == SnapshotForm::none &&
                      kernel.source != device::BaseSource::dense_rows;
    if (fits && bank.check(kernel)) ++kernels;
  }
  EXPECT_GT(kernels, 0);
  fmt::print("{} kernels on a {} bank of {} bytes, {} rows written\n", kernels, to_string(type),
             bank.bytes(), bank.rows());
}

TEST_F(GpuMemory, BanksOverFourGiB) {
  const std::uint64_t gib = std::uint64_t{1} << 30U;
  const std::uint64_t free = free_bytes(0);
  const std::uint64_t largest = free > 8 * gib ? free - 4 * gib : 0;
  for (const std::uint64_t bytes : {4 * gib + gib / 10, 8 * gib, largest}) {
    if (bytes == 0 || bytes > largest) {
      fmt::print("a bank of {} bytes was not tried: {} are free\n", bytes, free);
      continue;
    }
    walk_large_bank(BankType::bf16, 1024, bytes);
    if (bytes <= 8 * gib) walk_large_bank(BankType::f32, 128, bytes);
  }
}

}  // namespace
}  // namespace chainwalk::cuda
