// SPDX-License-Identifier: Apache-2.0
// Measured problems: records as a layer makes them, content by index, and the check of the first
// step against a model that holds the touched rows alone (REC, SNP-1, QNT-1).
#include "bench_problem.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "chainwalk/spec/tiles.h"

namespace chainwalk::cuda {
namespace {

enum Place : std::size_t {
  bank,
  delta_v,
  records,
  bounds,
  prefix,
  slots,
  snapshot,
  payload,
  scale
};

constexpr std::uint64_t bank_seed = 21;
constexpr std::uint64_t token_seed = 22;
constexpr std::byte poison{0xA5};

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

// Distinct slots of one token.
void draw_slots(const BenchCase& problem, std::mt19937_64& random, std::vector<bool>& taken,
                std::vector<std::int64_t>& slots) {
  slots.clear();
  const auto draw = [&](std::int64_t below, std::int64_t count) {
    while (count > 0) {
      const auto slot = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
      if (taken[static_cast<std::size_t>(slot)]) continue;
      taken[static_cast<std::size_t>(slot)] = true;
      slots.push_back(slot);
      --count;
    }
  };
  const std::int64_t hot = problem.hot_slots > 0 ? problem.writes_per_token / 2 : 0;
  draw(problem.hot_slots, hot);
  draw(problem.slots_per_stream, problem.writes_per_token - hot);
  for (const std::int64_t slot : slots) taken[static_cast<std::size_t>(slot)] = false;
}

std::span<const std::byte> bytes_of(const auto& values) { return std::as_bytes(std::span(values)); }

}  // namespace

std::vector<Record> bench_records(const BenchCase& problem, std::int64_t chunks) {
  std::mt19937_64 random(7);
  std::vector<bool> taken(static_cast<std::size_t>(problem.slots_per_stream));
  std::vector<std::int64_t> drawn;
  std::vector<Record> all;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    std::vector<std::pair<std::int64_t, std::int64_t>> writes;
    for (std::int64_t token = 0; token < problem.chunk_size; ++token) {
      draw_slots(problem, random, taken, drawn);
      for (const std::int64_t slot : drawn) writes.emplace_back(slot, token);
    }
    std::ranges::sort(writes);
    const std::int64_t first_slot = chunk % problem.num_parallel * problem.slots_per_stream;
    for (std::size_t i = 0; i < writes.size(); ++i) {
      const bool first = i == 0 || writes[i - 1].first != writes[i].first;
      const bool last = i + 1 == writes.size() || writes[i + 1].first != writes[i].first;
      const auto token = static_cast<std::uint32_t>(writes[i].second) << record_token_shift;
      // Scales below 1 and decays near 1 keep the bank finite over many replays.
      all.push_back({(first ? record_first : 0) | (last ? record_last : 0) | token,
                     static_cast<std::uint32_t>(first_slot + writes[i].first),
                     0x3C000000U + static_cast<std::uint32_t>(random() % 0x00800000U),
                     0x3F733333U});
    }
  }
  return all;
}

BenchProblem::BenchProblem(const BenchCase& problem, const BenchSettings& settings,
                           const plan::Tiling& tiling)
    : device_(settings.device) {
  shape_.bank_type = problem.bank_type;
  shape_.snapshot = problem.form;
  shape_.slots = problem.slots_per_stream * problem.num_parallel;
  shape_.head_dim = problem.head_dim;
  shape_.num_chunks = settings.steps * problem.num_parallel;
  shape_.positions = problem.chunk_size * problem.writes_per_token;
  shape_.num_parallel = problem.num_parallel;
  shape_.chunk_size = problem.chunk_size;
  shape_.delta_v_step_rows = problem.num_parallel * problem.chunk_size;
  shape_.delta_v_rows = shape_.delta_v_step_rows * settings.steps;
  shape_.warps_per_block = tiling.warps_per_block;
  shape_.blocks_per_chunk = tiling.blocks_per_chunk;
  records_ = bench_records(problem, shape_.num_chunks);
  Problem view;
  view.shape = shape_;
  view.records = records_;
  for (std::int64_t chunk = 0; chunk < shape_.num_chunks; ++chunk) {
    const auto here = view.chunk_records(chunk);
    const auto cut = standard_tile_bounds(here, shape_.tiles_per_chunk());
    const auto before = group_prefix_of(here, cut);
    bounds_.insert(bounds_.end(), cut.begin(), cut.end());
    prefix_.insert(prefix_.end(), before.begin(), before.end());
  }
  upload_inputs(settings);
  describe(settings);
}

void BenchProblem::upload_inputs(const BenchSettings& settings) {
  std::vector<std::int32_t> touched;
  for (std::size_t i = 0; i < records_.size(); ++i) {
    const auto per_step = static_cast<std::size_t>(shape_.num_parallel * shape_.positions);
    if (i % per_step == 0) group_begin_.push_back(static_cast<std::int64_t>(touched.size()));
    if (is_last(records_[i])) touched.push_back(static_cast<std::int32_t>(records_[i].slot));
  }
  group_begin_.push_back(static_cast<std::int64_t>(touched.size()));
  const auto add = [&](std::uint64_t bytes) {
    buffers_.emplace_back(settings.device, padded(bytes));
  };
  add(static_cast<std::uint64_t>(shape_.slots * shape_.bank_row_bytes()));
  add(static_cast<std::uint64_t>(shape_.delta_v_rows * shape_.head_dim) * 4U);
  add(records_.size() * sizeof(Record));
  add(bounds_.size() * 4U);
  add(prefix_.size() * 4U);
  add(touched.size() * 4U);
  const auto rows = static_cast<std::uint64_t>(shape_.snapshot_rows());
  const std::uint64_t row_bytes = rows * static_cast<std::uint64_t>(shape_.snapshot_row_bytes());
  add(is_dense(shape_.snapshot) ? row_bytes : 0);
  add(is_quantized(shape_.snapshot) ? row_bytes : 0);
  add(is_quantized(shape_.snapshot) ? rows * 4U : 0);
  reset();
  fill_by_index(device_, buffers_[delta_v].data(), buffers_[delta_v].size(), token_seed);
  buffers_[records].upload(0, bytes_of(records_));
  buffers_[bounds].upload(0, bytes_of(bounds_));
  buffers_[prefix].upload(0, bytes_of(prefix_));
  buffers_[Place::slots].upload(0, bytes_of(touched));
  for (const Place place : {snapshot, payload, scale}) buffers_[place].fill(poison);
  first_tokens_.resize(static_cast<std::size_t>(shape_.delta_v_step_rows * shape_.head_dim));
  buffers_[delta_v].download(0, std::as_writable_bytes(std::span(first_tokens_)));
}

void BenchProblem::describe(const BenchSettings& settings) {
  Problem view;
  view.shape = shape_;
  request_ = plan::request_for(view, Outputs{});
  request_.wish = settings.wish;
  const auto put = [&](plan::Tensor& tensor, Place place) { tensor.data = buffers_[place].data(); };
  put(request_.bank, bank);
  put(request_.delta_v, delta_v);
  put(request_.records, records);
  put(request_.tile_bounds, bounds);
  put(request_.group_prefix, prefix);
  if (is_dense(shape_.snapshot)) put(request_.snapshot, snapshot);
  if (is_quantized(shape_.snapshot)) {
    put(request_.payload, payload);
    put(request_.scale, scale);
  }
  for (plan::Tensor* tensor :
       {&request_.bank, &request_.delta_v, &request_.records, &request_.tile_bounds,
        &request_.group_prefix, &request_.snapshot, &request_.payload, &request_.scale}) {
    tensor->device = device_;
  }
}

const std::int32_t* BenchProblem::slots(std::int64_t step) const {
  return reinterpret_cast<const std::int32_t*>(buffers_[Place::slots].data()) +
         group_begin_[static_cast<std::size_t>(step)];
}

std::int64_t BenchProblem::groups(std::int64_t step) const {
  return group_begin_[static_cast<std::size_t>(step + 1)] -
         group_begin_[static_cast<std::size_t>(step)];
}

double BenchProblem::bytes(std::int64_t step) const {
  const auto rows = static_cast<double>(groups(step));
  const double scale_bytes = is_quantized(shape_.snapshot) ? 4.0 : 0.0;
  return rows * (2.0 * static_cast<double>(shape_.bank_row_bytes()) +
                 static_cast<double>(shape_.snapshot_row_bytes()) + scale_bytes) +
         static_cast<double>(shape_.num_parallel) *
             (static_cast<double>(shape_.positions) * 16.0 +
              static_cast<double>(shape_.chunk_size * shape_.head_dim) * 4.0);
}

void BenchProblem::reset() {
  fill_by_index(device_, buffers_[bank].data(), buffers_[bank].size(), bank_seed);
}

std::optional<std::string> BenchProblem::check_first_step(const BenchSettings& settings) const {
  // The touched rows in the order of their groups: row i of the small bank.
  const auto row_bytes = static_cast<std::size_t>(shape_.bank_row_bytes());
  ProblemShape small = shape_;
  small.num_chunks = small.num_parallel;
  small.slots = groups(0);
  small.delta_v_rows = small.delta_v_step_rows;
  std::vector<Record> renamed(records_.begin(),
                              records_.begin() + small.num_parallel * small.positions);
  std::vector<std::int64_t> rows;
  for (Record& record : renamed) {
    const auto slot = record.slot;
    record.slot = static_cast<std::uint32_t>(rows.size());
    if (is_last(record)) rows.push_back(slot);
  }
  std::vector<std::byte> before(rows.size() * row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint64_t first_byte = static_cast<std::uint64_t>(rows[i]) * row_bytes;
    for (std::size_t byte = 0; byte < row_bytes; ++byte) {
      const std::uint64_t at = first_byte + byte;
      const std::uint32_t word = index_word(bank_seed, at / 4);
      before[i * row_bytes + byte] = static_cast<std::byte>(word >> (8U * (at % 4U)));
    }
  }
  const auto tiles = static_cast<std::size_t>(small.num_chunks * (small.tiles_per_chunk() + 1));
  const Problem problem{small,
                        before,
                        first_tokens_,
                        renamed,
                        std::span(bounds_).first(tiles),
                        std::span(prefix_).first(tiles),
                        {}};
  const OutputBuffers expected(problem, poison);
  settings.reference(problem, 0, expected.views());

  std::vector<std::byte> row(row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    buffers_[bank].download(static_cast<std::uint64_t>(rows[i]) * row_bytes, row);
    if (std::memcmp(row.data(), expected.views().bank.data() + i * row_bytes, row_bytes) != 0) {
      return "bank row " + std::to_string(rows[i]) + " differs from the reference";
    }
  }
  std::ranges::sort(rows);
  std::uint64_t stray = 0;
  (void)find_stray_writes(device_, buffers_[bank].data(), shape_.slots, shape_.bank_row_bytes(),
                          bank_seed, rows, 1, &stray);
  if (stray != 0) return std::to_string(stray) + " bytes outside the written rows changed";
  const auto differs = [&](Place place, std::span<const std::byte> wanted) {
    std::vector<std::byte> found(wanted.size());
    buffers_[place].download(0, found);
    return !std::ranges::equal(found, wanted);
  };
  const ConstOutputs outputs = expected.views();
  if (differs(snapshot, outputs.snapshot)) return "snapshot rows differ from the reference";
  if (differs(payload, outputs.payload)) return "payload differs from the reference";
  if (differs(scale, std::as_bytes(outputs.scale))) return "scales differ from the reference";
  return std::nullopt;
}

}  // namespace chainwalk::cuda
