// SPDX-License-Identifier: Apache-2.0
// make_problem: parameters checked, tensors drawn in an order that needs no second pass.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/generate/generate.h"
#include "chainwalk/generate/random.h"
#include "chainwalk/generate/values.h"
#include "chainwalk/spec/head.h"
#include "chainwalk/spec/tiles.h"
#include "chunk.h"

namespace chainwalk::generate {
namespace {

constexpr std::int64_t max_tensor_bytes = std::int64_t{1} << 40U;

void check_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw std::invalid_argument("parameter " + std::string(name) + " is " + std::to_string(value) +
                                "; it must be in " + std::to_string(low) + ".." +
                                std::to_string(high));
  }
}

// a * b <= limit, for values that are not negative.
void check_product(const char* what, std::int64_t a, std::int64_t b, std::int64_t limit) {
  if (b != 0 && a > limit / b) {
    throw std::invalid_argument(std::string(what) + " would be " + std::to_string(a) + " times " +
                                std::to_string(b) + "; at most " + std::to_string(limit) +
                                " are generated");
  }
}

void check_parameters(const Parameters& parameters) {
  if (parameters.snapshot == SnapshotForm::bf16 && parameters.bank_type != BankType::f32) {
    throw std::invalid_argument("parameter snapshot is bf16, which needs bank_type f32 (SNP-3)");
  }
  constexpr std::int64_t int32_max = 0x7FFF'FFFF;
  check_range("head_dim", parameters.head_dim, 1, max_head_dim);
  check_range("slots", parameters.slots, 0, int32_max);
  check_range("num_parallel", parameters.num_parallel, 1, int32_max);
  check_range("steps", parameters.steps, 0, int32_max);
  check_range("extra_chunks", parameters.extra_chunks, 0, parameters.num_parallel - 1);
  check_range("chunk_size", parameters.chunk_size, 1, 256);
  check_range("positions", parameters.positions, 0, std::int64_t{1} << 30U);
  check_range("warps_per_block", parameters.warps_per_block, 4, 16);
  if ((parameters.warps_per_block & (parameters.warps_per_block - 1)) != 0) {
    throw std::invalid_argument("parameter warps_per_block is " +
                                std::to_string(parameters.warps_per_block) +
                                "; it must be 4, 8 or 16");
  }
  check_range("blocks_per_chunk", parameters.blocks_per_chunk, parameters.positions == 0 ? 0 : 1,
              int32_max / 16);
  check_range("delta_v_step_rows", parameters.delta_v_step_rows, -1, max_tensor_bytes);
  if (!(parameters.invalid_share >= 0.0 && parameters.invalid_share <= 1.0)) {
    throw std::invalid_argument("parameter invalid_share is " +
                                std::to_string(parameters.invalid_share) + "; it must be in 0..1");
  }
  check_product("chunks", parameters.steps, parameters.num_parallel, int32_max);
  const std::int64_t chunks = parameters.steps * parameters.num_parallel + parameters.extra_chunks;
  check_product("records", chunks, parameters.positions, max_tensor_bytes / 16);
  check_product("tile bounds", chunks, parameters.warps_per_block * parameters.blocks_per_chunk + 1,
                max_tensor_bytes / 4);
}

// Rows are 64-byte aligned at their first, which std::vector does not promise.
class Bytes {
 public:
  explicit Bytes(std::int64_t size)
      : size_(static_cast<std::size_t>(size)),
        data_(static_cast<std::byte*>(std::aligned_alloc(64, (size_ + 63) / 64 * 64 + 64))) {
    if (data_ == nullptr) throw std::bad_alloc();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;
  ~Bytes() { std::free(data_); }
  template <typename T>
  std::span<T> as() const {
    return {reinterpret_cast<T*>(data_), size_ / sizeof(T)};
  }

 private:
  std::size_t size_;
  std::byte* data_;
};

struct Tensors {
  std::unique_ptr<Bytes> bank, delta_v, records, tile_bounds, group_prefix;
};

template <typename Word>
void fill_rows(const Parameters& parameters, std::uint64_t seed, std::uint64_t index,
               Purpose purpose, std::span<std::byte> tensor) {
  std::vector<Word> row(static_cast<std::size_t>(parameters.head_dim));
  const std::size_t row_bytes = row.size() * sizeof(Word);
  // The first problems of a stream walk through the list of specials in every row.
  const bool cycle = index < 2;
  for (std::size_t i = 0; i * row_bytes < tensor.size(); ++i) {
    Random random{seed, index, static_cast<std::uint64_t>(purpose), i};
    fill_row(parameters.values, cycle, random, std::span(row));
    std::memcpy(tensor.data() + i * row_bytes, row.data(), row_bytes);
  }
}

std::int64_t count_valid(std::span<const DrawnGroup> groups) {
  return std::count_if(groups.begin(), groups.end(),
                       [](const auto& group) { return !group.invalid; });
}

std::int64_t needed_delta_v_rows(const Parameters& parameters, std::int64_t step_rows) {
  const std::int64_t one_step = parameters.num_parallel * parameters.chunk_size;
  const std::int64_t later_steps = std::max<std::int64_t>(parameters.steps - 1, 0);
  check_product("rows of delta_v", step_rows, later_steps, max_tensor_bytes);
  // PLN-2: delta_v_step_rows is at most the number of elements.
  const std::int64_t for_stride = (step_rows + parameters.head_dim - 1) / parameters.head_dim;
  return std::max(one_step + later_steps * step_rows, for_stride);
}

// TIL-4: nothing reads the prefix where no rows are written, so half of those hold noise.
void fill_group_prefix(const Parameters& parameters, const ChunkKey& key,
                       std::span<const Record> records, std::span<const std::int32_t> bounds,
                       std::span<std::int32_t> prefix) {
  Random random{key.seed, key.index, static_cast<std::uint64_t>(Purpose::tiles), key.chunk, 1};
  if (parameters.snapshot == SnapshotForm::none && parameters.random_tiles && random.one_in(2)) {
    for (std::int32_t& entry : prefix) entry = static_cast<std::int32_t>(random.word());
    return;
  }
  const std::vector<std::int32_t> counted = group_prefix_of(records, bounds);
  std::copy(counted.begin(), counted.end(), prefix.begin());
}

void draw_chunks(Problem& problem, const Parameters& parameters, std::uint64_t seed,
                 std::uint64_t index, Tensors& tensors) {
  ProblemShape& shape = problem.shape;
  const std::int64_t bounds_per_chunk = shape.tiles_per_chunk() + 1;
  tensors.records = std::make_unique<Bytes>(shape.num_chunks * shape.positions * 16);
  tensors.tile_bounds = std::make_unique<Bytes>(shape.num_chunks * bounds_per_chunk * 4);
  tensors.group_prefix = std::make_unique<Bytes>(shape.num_chunks * bounds_per_chunk * 4);
  const auto records = tensors.records->as<Record>();
  const auto bounds = tensors.tile_bounds->as<std::int32_t>();
  const auto prefix = tensors.group_prefix->as<std::int32_t>();
  std::vector<std::vector<DrawnGroup>> groups;
  std::int64_t most_valid = 0;
  const auto part = [](auto all, std::int64_t chunk, std::int64_t length) {
    return all.subspan(static_cast<std::size_t>(chunk * length), static_cast<std::size_t>(length));
  };
  for (std::int64_t chunk = 0; chunk < shape.num_chunks; ++chunk) {
    const ChunkKey key{seed, index, static_cast<std::uint64_t>(chunk)};
    groups.push_back(draw_groups(parameters, key));
    const std::vector<std::int32_t> drawn = draw_tile_bounds(parameters, key, groups.back());
    limit_valid_groups(parameters, drawn, groups.back());
    std::copy(drawn.begin(), drawn.end(), part(bounds, chunk, bounds_per_chunk).begin());
    most_valid = std::max(most_valid, count_valid(groups.back()));
  }
  check_product("slots", most_valid, shape.num_parallel, 0x7FFF'FFFF);
  shape.slots = std::max(shape.slots, most_valid * shape.num_parallel);
  for (std::int64_t chunk = 0; chunk < shape.num_chunks; ++chunk) {
    const ChunkKey key{seed, index, static_cast<std::uint64_t>(chunk)};
    const auto own = part(records, chunk, shape.positions);
    draw_records(parameters, key, shape.slots, groups[static_cast<std::size_t>(chunk)], own);
    fill_group_prefix(parameters, key, own, part(bounds, chunk, bounds_per_chunk),
                      part(prefix, chunk, bounds_per_chunk));
  }
  problem.records = records;
  problem.tile_bounds = bounds;
  problem.group_prefix = prefix;
}

}  // namespace

Problem make_problem(const Parameters& parameters, std::uint64_t seed, std::uint64_t index) {
  check_parameters(parameters);
  auto tensors = std::make_shared<Tensors>();
  Problem problem;
  ProblemShape& shape = problem.shape;
  shape.bank_type = parameters.bank_type;
  shape.snapshot = parameters.snapshot;
  shape.slots = parameters.slots;
  shape.head_dim = parameters.head_dim;
  shape.num_parallel = parameters.num_parallel;
  shape.num_chunks = parameters.steps * parameters.num_parallel + parameters.extra_chunks;
  shape.positions = parameters.positions;
  shape.chunk_size = parameters.chunk_size;
  shape.warps_per_block = parameters.warps_per_block;
  shape.blocks_per_chunk = parameters.blocks_per_chunk;
  shape.delta_v_step_rows = parameters.delta_v_step_rows >= 0
                                ? parameters.delta_v_step_rows
                                : parameters.num_parallel * parameters.chunk_size;
  shape.delta_v_rows = needed_delta_v_rows(parameters, shape.delta_v_step_rows);
  check_product("elements of delta_v", shape.delta_v_rows, shape.head_dim, max_tensor_bytes / 4);

  draw_chunks(problem, parameters, seed, index, *tensors);

  check_product("elements of the bank", shape.slots, shape.head_dim, max_tensor_bytes / 4);
  tensors->bank = std::make_unique<Bytes>(shape.slots * shape.bank_row_bytes());
  problem.bank_before = tensors->bank->as<std::byte>();
  if (shape.bank_type == BankType::bf16) {
    fill_rows<std::uint16_t>(parameters, seed, index, Purpose::bank,
                             tensors->bank->as<std::byte>());
  } else {
    fill_rows<std::uint32_t>(parameters, seed, index, Purpose::bank,
                             tensors->bank->as<std::byte>());
  }
  tensors->delta_v = std::make_unique<Bytes>(shape.delta_v_rows * shape.head_dim * 4);
  problem.delta_v = tensors->delta_v->as<float>();
  fill_rows<std::uint32_t>(parameters, seed, index, Purpose::delta_v,
                           tensors->delta_v->as<std::byte>());
  problem.storage = std::move(tensors);
  return problem;
}

}  // namespace chainwalk::generate
