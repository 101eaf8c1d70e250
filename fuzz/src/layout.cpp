// SPDX-License-Identifier: Apache-2.0
// Sizes, groups, tiles and slots of a drawn case (REC-5, REC-6, GEO-2, TIL-1 to TIL-3, PLN-1).
#include "layout.h"

#include <algorithm>
#include <numeric>

#include "chainwalk/spec/head.h"
#include "chainwalk/spec/tiles.h"

namespace chainwalk::fuzz {
namespace {

using generate::Random;

struct Rows {
  BankType bank;
  SnapshotForm form;
};

Rows rows_of(Feature feature) {
  switch (feature) {
    case Feature::f32_none: return {BankType::f32, SnapshotForm::none};
    case Feature::bf16_raw: return {BankType::bf16, SnapshotForm::raw};
    case Feature::f32_raw: return {BankType::f32, SnapshotForm::raw};
    case Feature::f32_bf16: return {BankType::f32, SnapshotForm::bf16};
    case Feature::bf16_fp8: return {BankType::bf16, SnapshotForm::fp8};
    case Feature::f32_fp8: return {BankType::f32, SnapshotForm::fp8};
    case Feature::bf16_int4: return {BankType::bf16, SnapshotForm::int4};
    case Feature::f32_int4: return {BankType::f32, SnapshotForm::int4};
    default: return {BankType::bf16, SnapshotForm::none};
  }
}

std::int64_t head_of(Feature feature, Random& random) {
  switch (feature) {
    case Feature::head_1: return 1;
    case Feature::head_2_7: return random.between(2, 7);
    case Feature::head_8n: return 8 * random.between(1, 8);
    case Feature::head_4n: return 4 + 8 * random.between(1, 7);
    case Feature::head_odd: {
      const std::int64_t head = random.between(9, 63);
      return head % 4 == 0 ? head - 1 : head;
    }
    case Feature::head_below_slice:
      return random.one_in(2) ? random.between(120, 127) : random.between(65, 127);
    case Feature::head_slice: return 128;
    case Feature::head_over_slice: return random.between(129, 136);
    case Feature::head_two_slices:
      return random.one_in(2) ? random.between(248, 255) : random.between(137, 255);
    case Feature::head_256: return 256;
    case Feature::head_three:
      return random.one_in(2) ? random.between(257, 264) : random.between(257, 384);
    case Feature::head_four:
      return random.one_in(2) ? random.between(508, 520) : random.between(385, 520);
    default: return random.one_in(4) ? 1024 : random.between(521, 1100);
  }
}

std::int64_t positions_of(Feature feature, Random& random) {
  switch (feature) {
    case Feature::n_0: return 0;
    case Feature::n_1: return 1;
    case Feature::n_2_8: return random.between(2, 8);
    case Feature::n_9_32: return random.between(9, 32);
    case Feature::n_33_128: return random.between(33, 128);
    default: return random.between(129, 512);
  }
}

std::int64_t chunk_size_of(Feature feature, Random& random) {
  switch (feature) {
    case Feature::chunk_1: return 1;
    case Feature::chunk_2_16: return random.between(2, 16);
    case Feature::chunk_17_255:
      return random.one_in(4) ? 255 : random.one_in(2) ? 32 : random.between(17, 64);
    default: return 256;
  }
}

std::int64_t stride_of(Feature feature, std::int64_t one_step, Random& random) {
  switch (feature) {
    case Feature::stride_0: return 0;
    case Feature::stride_overlap: return one_step > 1 ? random.between(1, one_step - 1) : 0;
    case Feature::stride_gap: return one_step + random.between(1, 5);
    default: return one_step;
  }
}

std::int64_t length_of(const Draw& draw, std::int64_t begin, std::int64_t positions,
                       Random& random) {
  // To a border of `width`, `over` positions past it.
  const auto over = [&](std::int64_t width) {
    const std::int64_t border = (begin / width + 1) * width;
    return border - begin + random.between(1, 3);
  };
  switch (draw.of(Axis::groups)) {
    case Feature::groups_single: return 1;
    case Feature::groups_whole: return positions;
    case Feature::groups_near_8: return random.between(7, 9);
    case Feature::groups_near_32: return random.between(31, 33);
    case Feature::groups_over_8: return random.one_in(2) ? over(8) : random.between(1, 3);
    case Feature::groups_over_32: return random.one_in(2) ? over(32) : random.between(1, 5);
    case Feature::groups_long: return random.between(65, 130);
    default: return random.between(1, 4);
  }
}

// A count of groups for each tile, 0 to 3 most of the time.
std::vector<std::int64_t> groups_of_tiles(const Draw& draw, std::int64_t tiles, std::int64_t groups,
                                          Random& random) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(tiles), 0);
  if (draw.is(Feature::tiles_first)) {
    counts.front() = groups;
  } else if (draw.is(Feature::tiles_last)) {
    counts.back() = groups;
  } else {
    std::int64_t left = groups;
    if (draw.is(Feature::tiles_128)) {
      const std::int64_t given = std::min<std::int64_t>(left, 128);
      counts[random.below(counts.size())] = given;
      left -= given;
    } else if (draw.is(Feature::tiles_one_group)) {
      for (std::int64_t& count : counts) {
        count = std::min<std::int64_t>(left, random.one_in(4) ? 0 : 1);
        left -= count;
      }
    }
    for (; left > 0 && !draw.is(Feature::tiles_one_group); --left)
      ++counts[random.below(counts.size())];
    counts.back() += left;
  }
  return counts;
}

}  // namespace

ProblemShape draw_shape(const Campaign& campaign, const Draw& draw) {
  Random random = words_of(draw, Use::sizes);
  ProblemShape shape;
  const Rows rows = rows_of(draw.of(Axis::rows));
  shape.bank_type = rows.bank;
  shape.snapshot = rows.form;
  shape.head_dim = head_of(draw.of(Axis::head), random);
  shape.num_parallel = 1 + static_cast<std::int64_t>(index_of(draw.of(Axis::streams)) -
                                                     index_of(Feature::streams_1));
  const auto steps =
      static_cast<std::int64_t>(index_of(draw.of(Axis::steps)) - index_of(Feature::steps_0));
  shape.num_chunks = steps * shape.num_parallel;
  if (draw.is(Feature::chunks_extra) && shape.num_parallel > 1)
    shape.num_chunks += random.between(1, shape.num_parallel - 1);
  const std::int64_t chunks = std::max<std::int64_t>(1, shape.num_chunks);
  const std::int64_t most = std::min(campaign.max_records, campaign.max_work / shape.head_dim);
  shape.positions = std::min(positions_of(draw.of(Axis::positions), random),
                             std::max<std::int64_t>(1, most / chunks));
  shape.chunk_size = chunk_size_of(draw.of(Axis::chunk), random);
  // Token rows cost as much to fill as records to walk.
  const std::int64_t most_tokens =
      std::max<std::int64_t>(1, campaign.max_work / 2 / shape.head_dim /
                                    (shape.num_parallel * std::max<std::int64_t>(1, steps)));
  shape.chunk_size = std::min(shape.chunk_size, most_tokens);
  const std::int64_t one_step = shape.num_parallel * shape.chunk_size;
  shape.delta_v_step_rows = stride_of(draw.of(Axis::stride), one_step, random);
  shape.delta_v_rows = one_step + std::max<std::int64_t>(0, steps - 1) * shape.delta_v_step_rows;
  // PLN-2: a stride is at most the number of elements.
  shape.delta_v_rows =
      std::max(shape.delta_v_rows, (shape.delta_v_step_rows + shape.head_dim - 1) / shape.head_dim);
  shape.warps_per_block = draw.is(Feature::warps_4) ? 4 : draw.is(Feature::warps_8) ? 8 : 16;
  // PLN-1: 4 warps a block are for unquantized bf16 rows of regular heads only.
  const bool regular = make_head(shape.head_dim, shape.bank_type).head_class == HeadClass::regular;
  if (shape.warps_per_block == 4 &&
      (!regular || shape.bank_type != BankType::bf16 || is_quantized(shape.snapshot)))
    shape.warps_per_block = 8;
  shape.blocks_per_chunk = draw.is(Feature::blocks_1)   ? 1
                           : draw.is(Feature::blocks_2) ? 2
                                                        : random.between(3, 4);
  return shape;
}

std::vector<Run> draw_runs(const Draw& draw, std::int64_t chunk, std::int64_t positions) {
  Random random = words_of(draw, Use::groups, static_cast<std::uint64_t>(chunk));
  std::vector<Run> runs;
  for (std::int64_t begin = 0; begin < positions;) {
    const std::int64_t end = std::min(positions, begin + length_of(draw, begin, positions, random));
    const bool invalid =
        draw.is(Feature::all_invalid) || (draw.is(Feature::some_invalid) && random.one_in(4));
    runs.push_back({begin, end, invalid});
    begin = end;
  }
  return runs;
}

std::vector<std::int32_t> draw_bounds(const Draw& draw, std::int64_t chunk, std::int64_t tiles,
                                      std::int64_t positions, std::span<const Run> runs) {
  if (draw.is(Feature::tiles_standard) && positions > 0) {
    std::vector<Record> flags(static_cast<std::size_t>(positions), Record{});
    for (const Run& run : runs) flags[static_cast<std::size_t>(run.begin)].x = record_first;
    return standard_tile_bounds(flags, tiles);
  }
  Random random = words_of(draw, Use::tiles, static_cast<std::uint64_t>(chunk));
  const auto counts = groups_of_tiles(draw, tiles, static_cast<std::int64_t>(runs.size()), random);
  std::vector<std::int32_t> bounds{0};
  std::size_t group = 0;
  for (const std::int64_t count : counts) {
    group += static_cast<std::size_t>(count);
    bounds.push_back(
        static_cast<std::int32_t>(group == runs.size() ? positions : runs[group].begin));
  }
  return bounds;
}

void limit_valid_runs(const ProblemShape& shape, std::span<const std::int32_t> bounds,
                      std::span<Run> runs) {
  if (!is_quantized(shape.snapshot)) return;
  const std::int64_t limit = 128 * shape.warps_per_block;
  auto run = runs.begin();
  for (std::int64_t block = 0; block < shape.blocks_per_chunk; ++block) {
    const std::int32_t end = bounds[static_cast<std::size_t>((block + 1) * shape.warps_per_block)];
    std::int64_t valid = 0;
    for (; run != runs.end() && run->begin < end; ++run) {
      if (!run->invalid && ++valid > limit) run->invalid = true;
    }
  }
}

std::vector<std::uint32_t> draw_slots(const Draw& draw, const ProblemShape& shape,
                                      std::int64_t chunk, std::int64_t share,
                                      std::span<const Run> runs) {
  const auto wanted = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [](const Run& run) { return !run.invalid; }));
  // Steps that rewrite the same rows have the same words.
  const std::int64_t stream = chunk % shape.num_parallel;
  Random random = words_of(
      draw, Use::slots, static_cast<std::uint64_t>(draw.is(Feature::slots_same) ? stream : chunk));
  std::vector<std::uint32_t> rows(static_cast<std::size_t>(share));
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(stream * share));
  std::size_t settled = 0;
  if (draw.is(Feature::slots_ends) && wanted >= 2) {
    std::swap(rows[1], rows.back());
    settled = 2;
  }
  for (std::size_t index = settled; index < wanted; ++index)
    std::swap(rows[index], rows[index + random.below(rows.size() - index)]);
  rows.resize(wanted);
  if (random.one_in(2)) std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace chainwalk::fuzz
