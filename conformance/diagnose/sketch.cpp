// SPDX-License-Identifier: Apache-2.0
// Parts of problems, and problems of parts.
#include "sketch.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "chainwalk/reference/rules.h"
#include "chainwalk/spec/formats.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::conformance {
namespace {

struct Built {
  std::shared_ptr<const std::vector<std::byte>> bank;
  std::shared_ptr<const std::vector<float>> delta_v;
  std::vector<Record> records;
  std::vector<std::int32_t> bounds, prefix;
};

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

std::vector<std::int64_t> counting(std::int64_t count) {
  std::vector<std::int64_t> numbers(size(count));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

std::int64_t positions_of(const std::vector<Piece>& pieces) {
  std::int64_t positions = 0;
  for (const Piece& piece : pieces) positions += static_cast<std::int64_t>(piece.records.size());
  return positions;
}

void add_chunk(Built& built, const ProblemShape& shape, const std::vector<Piece>& pieces) {
  const std::size_t start = built.records.size();
  std::vector<std::int32_t> bounds(size(shape.tiles_per_chunk() + 1), 0);
  for (const Piece& piece : pieces) {
    built.records.insert(built.records.end(), piece.records.begin(), piece.records.end());
    for (std::size_t bound = size(piece.tile) + 1; bound < bounds.size(); ++bound)
      bounds[bound] += static_cast<std::int32_t>(piece.records.size());
  }
  built.records.resize(start + size(shape.positions), padding_record);
  bounds.back() = static_cast<std::int32_t>(shape.positions);
  const auto chunk = std::span(built.records).subspan(start);
  const auto prefix = group_prefix_of(chunk, bounds);
  built.bounds.insert(built.bounds.end(), bounds.begin(), bounds.end());
  built.prefix.insert(built.prefix.end(), prefix.begin(), prefix.end());
}

std::uint32_t with_token(std::uint32_t x, std::int64_t token) {
  return (x & ~(record_token_mask << record_token_shift)) |
         (static_cast<std::uint32_t>(token) << record_token_shift);
}

// Tokens after a selection: as written where the clamp still gives the same row.
void rename_tokens(std::vector<Piece>& pieces, std::int64_t old_size,
                   const std::vector<std::int64_t>& tokens) {
  const auto new_size = static_cast<std::int32_t>(tokens.size());
  for (Piece& piece : pieces) {
    for (Record& record : piece.records) {
      const std::int64_t used = clamped_token(record, static_cast<std::int32_t>(old_size));
      const auto found = std::lower_bound(tokens.begin(), tokens.end(), used);
      const std::int64_t index =
          found == tokens.end() || *found != used ? 0 : found - tokens.begin();
      if (clamped_token(record, new_size) != index) record.x = with_token(record.x, index);
    }
  }
}

}  // namespace

Sketch sketch_of(const Problem& problem) {
  Sketch sketch{
      problem.shape,
      {},
      std::make_shared<const std::vector<std::byte>>(problem.bank_before.begin(),
                                                     problem.bank_before.end()),
      std::make_shared<const std::vector<float>>(problem.delta_v.begin(), problem.delta_v.end())};
  for (std::int64_t chunk = 0; chunk < problem.shape.num_chunks; ++chunk) {
    const auto records = problem.chunk_records(chunk);
    const auto bounds = problem.chunk_tile_bounds(chunk);
    std::vector<Piece>& pieces = sketch.chunks.emplace_back();
    for (std::size_t tile = 0; tile + 1 < bounds.size(); ++tile) {
      Piece piece{{}, static_cast<std::int64_t>(tile)};
      for (std::int64_t at = bounds[tile]; at < bounds[tile + 1]; ++at) {
        piece.records.push_back(records[size(at)]);
        if (!is_last(records[size(at)])) continue;
        pieces.push_back(std::move(piece));
        piece = {{}, static_cast<std::int64_t>(tile)};
      }
      if (!piece.records.empty()) pieces.push_back(std::move(piece));
    }
  }
  return sketch;
}

Problem build(const Sketch& sketch) {
  auto built = std::make_shared<Built>();
  built->bank = sketch.bank;
  built->delta_v = sketch.delta_v;
  Problem problem;
  problem.shape = sketch.shape;
  problem.shape.num_chunks = static_cast<std::int64_t>(sketch.chunks.size());
  problem.shape.positions = 0;
  for (const auto& pieces : sketch.chunks)
    problem.shape.positions = std::max(problem.shape.positions, positions_of(pieces));
  for (const auto& pieces : sketch.chunks) add_chunk(*built, problem.shape, pieces);
  problem.bank_before = *built->bank;
  problem.delta_v = *built->delta_v;
  problem.records = built->records;
  problem.tile_bounds = built->bounds;
  problem.group_prefix = built->prefix;
  problem.storage = std::move(built);
  return problem;
}

Selection everything(const ProblemShape& shape) {
  return {counting(shape.steps()), counting(shape.num_parallel), counting(shape.chunk_size)};
}

Sketch select(const Sketch& from, const Selection& kept) {
  const ProblemShape& old = from.shape;
  Sketch to = from;
  to.chunks.clear();
  std::vector<float> rows;
  for (const std::int64_t step : kept.steps) {
    for (const std::int64_t stream : kept.streams) {
      to.chunks.push_back(from.chunks[size(old.chunk(step, stream))]);
      rename_tokens(to.chunks.back(), old.chunk_size, kept.tokens);
      for (const std::int64_t token : kept.tokens) {
        const std::int64_t row = step * old.delta_v_step_rows + stream * old.chunk_size + token;
        const auto begin = from.delta_v->begin() + row * old.head_dim;
        rows.insert(rows.end(), begin, begin + old.head_dim);
      }
    }
  }
  to.shape.num_parallel = static_cast<std::int64_t>(kept.streams.size());
  to.shape.chunk_size = static_cast<std::int64_t>(kept.tokens.size());
  to.shape.num_chunks = static_cast<std::int64_t>(to.chunks.size());
  to.shape.delta_v_step_rows = to.shape.num_parallel * to.shape.chunk_size;
  to.shape.delta_v_rows = to.shape.num_chunks * to.shape.chunk_size;
  to.delta_v = std::make_shared<const std::vector<float>>(std::move(rows));
  return to;
}

Sketch select_columns(const Sketch& from, std::span<const std::size_t> columns) {
  const std::size_t old = size(from.shape.head_dim);
  const std::size_t element = size(element_size(from.shape.bank_type));
  Sketch to = from;
  to.shape.head_dim = static_cast<std::int64_t>(columns.size());
  std::vector<std::byte> bank(size(from.shape.slots) * columns.size() * element);
  std::vector<float> rows;
  rows.reserve(size(from.shape.delta_v_rows) * columns.size());
  for (std::size_t row = 0; row < size(from.shape.slots); ++row) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      std::memcpy(bank.data() + (row * columns.size() + column) * element,
                  from.bank->data() + (row * old + columns[column]) * element, element);
    }
  }
  for (std::size_t row = 0; row < size(from.shape.delta_v_rows); ++row) {
    for (const std::size_t column : columns) rows.push_back((*from.delta_v)[row * old + column]);
  }
  to.bank = std::make_shared<const std::vector<std::byte>>(std::move(bank));
  to.delta_v = std::make_shared<const std::vector<float>>(std::move(rows));
  // ARI-7: a stride of rows is at most the number of elements.
  to.shape.delta_v_step_rows =
      std::min(to.shape.delta_v_step_rows, to.shape.delta_v_rows * to.shape.head_dim);
  return to;
}

Sketch compact_slots(const Sketch& from) {
  std::map<std::uint32_t, std::uint32_t> names;
  for (const auto& pieces : from.chunks) {
    for (const Piece& piece : pieces) {
      const Record& last = piece.records.back();
      if (is_last(last) && !is_invalid(last)) names.emplace(last.slot, 0);
    }
  }
  Sketch to = from;
  std::vector<std::byte> bank;
  const auto row_bytes = from.shape.bank_row_bytes();
  std::uint32_t next = 0;
  for (auto& [slot, name] : names) {
    name = next++;
    const auto begin = from.bank->begin() + static_cast<std::int64_t>(slot) * row_bytes;
    bank.insert(bank.end(), begin, begin + row_bytes);
  }
  if (names.empty()) bank.assign(from.bank->begin(), from.bank->begin() + row_bytes);
  for (auto& pieces : to.chunks) {
    for (Piece& piece : pieces) {
      for (Record& record : piece.records) {
        const auto found = names.find(record.slot);
        record.slot = found == names.end() ? 0 : found->second;
      }
    }
  }
  to.shape.slots = std::max<std::int64_t>(1, next);
  to.bank = std::make_shared<const std::vector<std::byte>>(std::move(bank));
  return to;
}

Sketch fold_members(const Sketch& from, std::size_t chunk, std::size_t piece) {
  const ProblemShape& shape = from.shape;
  Sketch to = from;
  auto& records = to.chunks[chunk][piece].records;
  const auto number = static_cast<std::int64_t>(chunk);
  const std::int64_t first_row = number / shape.num_parallel * shape.delta_v_step_rows +
                                 number % shape.num_parallel * shape.chunk_size;
  const auto element = [&](const Record& record, std::int64_t column) {
    const std::int64_t row =
        first_row + clamped_token(record, static_cast<std::int32_t>(shape.chunk_size));
    return size(row * shape.head_dim + column);
  };
  auto rows = std::make_shared<std::vector<float>>(*from.delta_v);
  for (std::int64_t column = 0; column < shape.head_dim; ++column) {
    float sum = 0;
    for (const Record& record : records) {
      const float scale = f32_from_bits(record.scale);
      sum = reference::SpecRules().member(scale, (*from.delta_v)[element(record, column)], sum);
    }
    (*rows)[element(records.back(), column)] = sum;
  }
  Record one = records.back();
  one.x |= records.front().x & record_first;
  one.scale = f32_bits(1.0F);
  records.assign(1, one);
  to.delta_v = std::move(rows);
  return to;
}

}  // namespace chainwalk::conformance
