// SPDX-License-Identifier: Apache-2.0
// Making the benchmark's problem (REC-1, REC-2, TIL-2).
#include "bench_problem.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>

#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::reference {
namespace {

constexpr std::int64_t warps_per_block = 8;
constexpr std::int64_t tile_positions = 128;

void require_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                              "; it must be in " + std::to_string(low) + ".." +
                              std::to_string(high));
}

ProblemShape shape_of(const BenchSettings& settings) {
  require_range("chunk_size", settings.chunk_size, 1, 256);
  require_range("writes_per_token", settings.writes_per_token, 1, 1 << 20);
  require_range("num_parallel", settings.num_parallel, 1, 1 << 20);
  const std::int64_t positions = settings.chunk_size * settings.writes_per_token;
  require_range("slots_per_stream", settings.slots_per_stream, positions,
                (std::int64_t{1} << 31) - 1);
  ProblemShape shape;
  shape.bank_type = settings.bank_type;
  shape.snapshot = settings.snapshot;
  shape.slots = settings.slots_per_stream * settings.num_parallel;
  shape.head_dim = settings.head_dim;
  shape.num_chunks = settings.slots_per_stream / positions * settings.num_parallel;
  shape.positions = positions;
  shape.num_parallel = settings.num_parallel;
  shape.chunk_size = settings.chunk_size;
  shape.delta_v_step_rows = settings.num_parallel * settings.chunk_size;
  shape.delta_v_rows = shape.delta_v_step_rows * shape.steps();
  shape.warps_per_block = warps_per_block;
  shape.blocks_per_chunk =
      std::max<std::int64_t>(1, positions / (warps_per_block * tile_positions));
  const std::vector<InputFault> faults = validate_shape(shape);
  if (!faults.empty()) throw std::invalid_argument(faults.front().message);
  return shape;
}

// Values in [-1, 1): what a bank of a trained layer looks like.
float draw_value(std::mt19937_64& random) {
  return static_cast<float>(static_cast<std::int64_t>(random() >> 40U) - (1 << 23U)) * 0x1p-23F;
}

}  // namespace

BenchProblem::BenchProblem(const BenchSettings& settings) {
  problem_.shape = shape_of(settings);
  const ProblemShape& shape = problem_.shape;
  std::mt19937_64 random(1);
  bank_.resize(shape.slots * shape.bank_row_bytes());
  for (std::int64_t i = 0; i < shape.slots * shape.head_dim; ++i) {
    const float value = draw_value(random);
    const std::uint16_t narrow = bf16_narrow(value);
    const bool is_bf16 = shape.bank_type == BankType::bf16;
    std::memcpy(bank_.data() + i * element_size(shape.bank_type),
                is_bf16 ? static_cast<const void*>(&narrow) : static_cast<const void*>(&value),
                is_bf16 ? 2 : 4);
  }
  delta_v_.resize(shape.delta_v_rows, shape.head_dim);
  for (float& value : delta_v_.reshaped<Eigen::RowMajor>()) value = draw_value(random);
  records_.resize(static_cast<std::size_t>(shape.num_chunks * shape.positions));
  for (std::int64_t stream = 0; stream < shape.num_parallel; ++stream) {
    fill_records(stream, settings);
  }
  const std::int64_t snapshot_bytes = shape.snapshot_rows() * shape.snapshot_row_bytes();
  if (is_dense(shape.snapshot)) snapshot_.setZero(snapshot_bytes);
  if (is_quantized(shape.snapshot)) {
    payload_.setZero(snapshot_bytes);
    scale_.setZero(shape.snapshot_rows());
  }
  problem_.delta_v = {delta_v_.data(), static_cast<std::size_t>(delta_v_.size())};
  problem_.records = records_;
  problem_ = with_standard_tiles(problem_, shape.warps_per_block, shape.blocks_per_chunk);
  outputs_ = {
      std::as_writable_bytes(std::span(bank_.data(), static_cast<std::size_t>(bank_.size()))),
      std::as_writable_bytes(
          std::span(snapshot_.data(), static_cast<std::size_t>(snapshot_.size()))),
      std::as_writable_bytes(std::span(payload_.data(), static_cast<std::size_t>(payload_.size()))),
      {scale_.data(), static_cast<std::size_t>(scale_.size())}};
  problem_.bank_before = outputs_.bank;
}

// Every slot of the stream once, in as many chunks as it takes, sorted within each.
void BenchProblem::fill_records(std::int64_t stream, const BenchSettings& settings) {
  const ProblemShape& shape = problem_.shape;
  std::mt19937_64 random(static_cast<std::uint64_t>(stream) + 2);
  std::vector<std::uint32_t> slots(static_cast<std::size_t>(settings.slots_per_stream));
  std::iota(slots.begin(), slots.end(),
            static_cast<std::uint32_t>(stream * settings.slots_per_stream));
  std::shuffle(slots.begin(), slots.end(), random);
  std::vector<std::uint32_t> tokens(static_cast<std::size_t>(shape.positions));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = static_cast<std::uint32_t>(i % static_cast<std::size_t>(shape.chunk_size));
  }
  for (std::int64_t step = 0; step < shape.steps(); ++step) {
    const auto begin = slots.begin() + step * shape.positions;
    std::sort(begin, begin + shape.positions);
    std::shuffle(tokens.begin(), tokens.end(), random);
    const std::int64_t first = shape.chunk(step, stream) * shape.positions;
    for (std::int64_t i = 0; i < shape.positions; ++i) {
      const float scale = draw_value(random);
      records_[static_cast<std::size_t>(first + i)] = {
          record_first | record_last | (tokens[static_cast<std::size_t>(i)] << record_token_shift),
          begin[i], f32_bits(scale), f32_bits(0.875F)};
    }
  }
}

std::int64_t BenchProblem::bytes() const {
  const auto ints = problem_.tile_bounds.size() + problem_.group_prefix.size();
  return bank_.size() + snapshot_.size() + payload_.size() + scale_.size() * 4 +
         delta_v_.size() * 4 + static_cast<std::int64_t>(records_.size() * sizeof(Record)) +
         static_cast<std::int64_t>(ints * sizeof(std::int32_t));
}

std::int64_t BenchProblem::bytes_per_step() const {
  const ProblemShape& shape = problem_.shape;
  const std::int64_t scale_bytes = is_quantized(shape.snapshot) ? 4 : 0;
  const std::int64_t row = 2 * shape.bank_row_bytes() + shape.head_dim * 4 +
                           static_cast<std::int64_t>(sizeof(Record)) + shape.snapshot_row_bytes() +
                           scale_bytes;
  return shape.num_parallel * shape.positions * row;
}

}  // namespace chainwalk::reference
