// SPDX-License-Identifier: Apache-2.0
// Tensors of a drawn problem (REC-1 to REC-6, ARI-7, TIL-4).
#include "build.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"
#include "layout.h"
#include "values.h"

namespace chainwalk::fuzz {
namespace {

using generate::Random;

// A row of 16 bytes, so that every tensor is aligned as PLN-2 asks.
struct alignas(16) Block {
  std::byte bytes[16];
};

struct Tensors {
  std::vector<Block> bank, delta_v;
  std::vector<Record> records;
  std::vector<std::int32_t> bounds, prefix;
};

template <typename T>
std::span<T> view(std::vector<Block>& blocks, std::int64_t elements) {
  blocks.resize((static_cast<std::size_t>(elements) * sizeof(T) + 15) / 16);
  return {reinterpret_cast<T*>(blocks.data()), static_cast<std::size_t>(elements)};
}

template <typename T>
std::span<T> row_of(std::span<T> all, std::int64_t row, std::int64_t length) {
  return all.subspan(static_cast<std::size_t>(row * length), static_cast<std::size_t>(length));
}

std::uint32_t token_of(const Draw& draw, std::int64_t chunk_size, Random& random) {
  switch (draw.of(Axis::token)) {
    case Feature::token_zero: return 0;
    case Feature::token_last:
      return random.one_in(2) ? 0U : static_cast<std::uint32_t>(chunk_size - 1);
    case Feature::token_clamped: return static_cast<std::uint32_t>(random.below(256));
    default:
      return static_cast<std::uint32_t>(random.below(static_cast<std::uint64_t>(chunk_size)));
  }
}

class Builder {
 public:
  Builder(const Campaign& campaign, const Draw& draw)
      : draw_(draw), shape_(draw_shape(campaign, draw)), tensors_(std::make_shared<Tensors>()) {}

  Problem build() {
    layout();
    for (std::int64_t chunk = 0; chunk < shape_.num_chunks; ++chunk) fill_records(chunk);
    fill_values();
    if (draw_.is(Feature::decay_cancel)) cancel_rows();
    Problem problem;
    problem.shape = shape_;
    problem.bank_before = bank_;
    problem.delta_v = {reinterpret_cast<const float*>(delta_v_.data()), delta_v_.size()};
    problem.records = tensors_->records;
    problem.tile_bounds = tensors_->bounds;
    problem.group_prefix = tensors_->prefix;
    problem.storage = tensors_;
    return problem;
  }

 private:
  // Groups and tiles of every chunk; then the bank is large enough for the fullest.
  void layout() {
    const std::int64_t tiles = shape_.tiles_per_chunk();
    std::int64_t most_valid = 0;
    for (std::int64_t chunk = 0; chunk < shape_.num_chunks; ++chunk) {
      auto runs = draw_runs(draw_, chunk, shape_.positions);
      const auto bounds = draw_bounds(draw_, chunk, tiles, shape_.positions, runs);
      limit_valid_runs(shape_, bounds, runs);
      most_valid = std::max<std::int64_t>(
          most_valid,
          std::count_if(runs.begin(), runs.end(), [](const Run& r) { return !r.invalid; }));
      tensors_->bounds.insert(tensors_->bounds.end(), bounds.begin(), bounds.end());
      runs_.push_back(std::move(runs));
    }
    Random random = words_of(draw_, Use::sizes, 1);
    share_ = most_valid + random.between(most_valid == 0 ? 1 : 0, 4);
    shape_.slots = share_ * shape_.num_parallel;
  }

  void fill_records(std::int64_t chunk) {
    Random random = words_of(draw_, Use::records, static_cast<std::uint64_t>(chunk));
    const auto& runs = runs_[static_cast<std::size_t>(chunk)];
    const auto slots = draw_slots(draw_, shape_, chunk, share_, runs);
    const bool missing = draw_.is(Feature::flags_missing);
    const bool noise = random.one_in(2);  // bits and words that nothing reads (REC-2, REC-5)
    const bool free_members = !missing && random.one_in(2);
    auto next_slot = slots.begin();
    std::vector<Record> records;
    for (const Run& run : runs) {
      const std::uint32_t slot = run.invalid ? 0U : *next_slot++;
      for (std::int64_t position = run.begin; position < run.end; ++position) {
        Record record{noise ? random.word() & ~record_meaningful : 0U, slot, 0, 0};
        record.x |= token_of(draw_, shape_.chunk_size, random) << record_token_shift;
        record.scale = scale_of(draw_, random);
        record.decay = decay_of(draw_, random);
        const bool last = position + 1 == run.end;
        if (run.invalid) record.x |= record_invalid;
        if (position == run.begin) record.x |= record_first;
        if (last && !(missing && random.one_in(3))) record.x |= record_last;
        if (free_members && (!last || run.invalid)) record.slot = random.word();
        records.push_back(record);
      }
    }
    if (draw_.is(Feature::chain_cancel)) cancel_members(runs, records, random);
    const auto bounds = row_of(std::span<const std::int32_t>(tensors_->bounds), chunk,
                               shape_.tiles_per_chunk() + 1);
    fill_prefix(records, bounds, random);
    tensors_->records.insert(tensors_->records.end(), records.begin(), records.end());
  }

  // TIL-4: nothing reads the prefix where no rows are written.
  void fill_prefix(std::span<const Record> records, std::span<const std::int32_t> bounds,
                   Random& random) {
    auto prefix = group_prefix_of(records, bounds);
    if (shape_.snapshot == SnapshotForm::none && random.one_in(2)) {
      for (std::int32_t& entry : prefix) entry = static_cast<std::int32_t>(random.word());
    }
    tensors_->prefix.insert(tensors_->prefix.end(), prefix.begin(), prefix.end());
  }

  // Every second member takes back what the one before it added, or all but one unit.
  static void cancel_members(const std::vector<Run>& runs, std::vector<Record>& records,
                             Random& random) {
    constexpr std::uint32_t token = record_token_mask << record_token_shift;
    for (const Run& run : runs) {
      for (std::int64_t at = run.begin + 1; at < run.end; at += 2) {
        const Record& before = records[static_cast<std::size_t>(at - 1)];
        Record& record = records[static_cast<std::size_t>(at)];
        record.x = (record.x & ~token) | (before.x & token);
        record.scale = before.scale ^ (random.one_in(4) ? 0x8000'0001U : 0x8000'0000U);
      }
    }
  }

  void fill_values() {
    const std::int64_t columns = shape_.head_dim;
    if (shape_.bank_type == BankType::bf16) {
      const auto bank = view<std::uint16_t>(tensors_->bank, shape_.slots * columns);
      for (std::int64_t row = 0; row < shape_.slots; ++row)
        fill_bank_row(draw_, shape_, static_cast<std::uint64_t>(row), row_of(bank, row, columns));
      bank_ = std::as_bytes(bank);
    } else {
      const auto bank = view<std::uint32_t>(tensors_->bank, shape_.slots * columns);
      for (std::int64_t row = 0; row < shape_.slots; ++row)
        fill_bank_row(draw_, shape_, static_cast<std::uint64_t>(row), row_of(bank, row, columns));
      bank_ = std::as_bytes(bank);
    }
    delta_v_ = view<std::uint32_t>(tensors_->delta_v, shape_.delta_v_rows * columns);
    for (std::int64_t row = 0; row < shape_.delta_v_rows; ++row)
      fill_token_row(draw_, static_cast<std::uint64_t>(row), row_of(delta_v_, row, columns));
  }

  float bank_element(std::int64_t slot, std::int64_t column) const {
    const auto at = static_cast<std::size_t>(slot * shape_.head_dim + column);
    if (shape_.bank_type == BankType::bf16)
      return bf16_widen(reinterpret_cast<const std::uint16_t*>(bank_.data())[at]);
    return f32_from_bits(reinterpret_cast<const std::uint32_t*>(bank_.data())[at]);
  }

  // Groups of one member take the row that they decay away from itself: token row = -row, scale 1.
  void cancel_rows() {
    Problem view_of_records;
    view_of_records.shape = shape_;
    view_of_records.records = tensors_->records;
    for (std::int64_t chunk = 0; chunk < shape_.steps() * shape_.num_parallel; ++chunk) {
      for (const Run& run : runs_[static_cast<std::size_t>(chunk)]) {
        if (run.invalid || run.end != run.begin + 1) continue;
        Record& record =
            tensors_->records[static_cast<std::size_t>(chunk * shape_.positions + run.begin)];
        record.scale = 0x3F80'0000U;
        const std::int64_t row = view_of_records.token_row(chunk / shape_.num_parallel,
                                                           chunk % shape_.num_parallel, record);
        for (std::int64_t column = 0; column < shape_.head_dim; ++column)
          delta_v_[static_cast<std::size_t>(row * shape_.head_dim + column)] =
              f32_bits(bank_element(record.slot, column)) ^ 0x8000'0000U;
      }
    }
  }

  const Draw& draw_;
  ProblemShape shape_;
  std::shared_ptr<Tensors> tensors_;
  std::vector<std::vector<Run>> runs_;
  std::int64_t share_ = 0;
  std::span<const std::byte> bank_;
  std::span<std::uint32_t> delta_v_;
};

}  // namespace

Problem build_problem(const Campaign& campaign, const Draw& draw) {
  return Builder(campaign, draw).build();
}

}  // namespace chainwalk::fuzz
