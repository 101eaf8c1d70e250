// SPDX-License-Identifier: Apache-2.0
// draw_parameters: the cross product of border cases first, then anything.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "chainwalk/generate/generate.h"
#include "chainwalk/generate/random.h"
#include "chainwalk/spec/head.h"

namespace chainwalk::generate {
namespace {

struct Rows {
  BankType bank_type;
  SnapshotForm snapshot;
};
constexpr Rows all_rows[] = {
    {BankType::bf16, SnapshotForm::none}, {BankType::bf16, SnapshotForm::raw},
    {BankType::bf16, SnapshotForm::fp8},  {BankType::bf16, SnapshotForm::int4},
    {BankType::f32, SnapshotForm::none},  {BankType::f32, SnapshotForm::raw},
    {BankType::f32, SnapshotForm::bf16},  {BankType::f32, SnapshotForm::fp8},
    {BankType::f32, SnapshotForm::int4}};

// Every class of head at its borders: one column, one slice and its neighbours, two, three and
// four slices, tails of each kind (GEO-2).
constexpr std::int64_t border_heads[] = {1,   2,   3,   4,   7,   8,   16,  30,  64,  96,
                                         100, 127, 128, 129, 132, 136, 192, 255, 256, 257,
                                         260, 264, 300, 384, 392, 480, 512, 516};
constexpr std::int64_t large_heads[] = {640,  768,  1000, 1001, 1024, 1028,  1536,  2048,
                                        2052, 4096, 4100, 8192, 8200, 16384, 16388, 32768};
constexpr std::int64_t chunk_sizes[] = {1, 2, 3, 16, 31, 64, 128, 255, 256};
constexpr std::int64_t warps[] = {4, 8, 16};
constexpr Groups group_shapes[] = {Groups::mixed, Groups::single, Groups::borders, Groups::whole};
constexpr Values value_kinds[] = {Values::special, Values::plain,   Values::special,
                                  Values::bits,    Values::special, Values::plain};

std::int64_t draw_head(Random& random) {
  switch (random.below(8)) {
    case 0: return random.pick(border_heads);
    case 1: return random.pick(large_heads);
    case 2: return random.between(1, 1100);
    case 3: return 4 * random.between(1, 160);
    case 4: return 8 * random.between(1, 80);
    default: return random.between(1, 160);
  }
}

std::int64_t draw_positions(std::int64_t most, Random& random) {
  if (random.one_in(24)) return 0;
  const std::int64_t small = std::min<std::int64_t>(most, 40);
  return random.one_in(3) ? random.between(1, small)
                          : random.between(1, std::min(most, std::int64_t{400}));
}

std::int64_t draw_stride(const Parameters& parameters, Random& random) {
  const std::int64_t one_step = parameters.num_parallel * parameters.chunk_size;
  switch (random.below(8)) {
    case 0: return 0;
    case 1: return random.between(1, one_step);
    case 2: return one_step + random.between(0, 3);
    default: return -1;
  }
}

}  // namespace

Parameters draw_parameters(std::uint64_t seed, std::uint64_t index, std::int64_t max_elements) {
  if (max_elements < 1) {
    throw std::invalid_argument("max_elements is " + std::to_string(max_elements) +
                                "; it must be at least 1");
  }
  Random random{seed, index, static_cast<std::uint64_t>(Purpose::parameters)};
  Parameters drawn;
  constexpr std::uint64_t crossed = std::size(all_rows) * std::size(border_heads);
  const bool border = index < crossed;
  const Rows rows = border ? all_rows[index % std::size(all_rows)] : random.pick(all_rows);
  drawn.bank_type = rows.bank_type;
  drawn.snapshot = rows.snapshot;
  const std::uint64_t row = index / std::size(all_rows);
  drawn.head_dim = border ? border_heads[row % std::size(border_heads)] : draw_head(random);
  drawn.head_dim = std::min({drawn.head_dim, max_elements, max_head_dim});
  drawn.groups =
      border ? group_shapes[(index + row) % std::size(group_shapes)] : random.pick(group_shapes);
  drawn.values =
      border ? value_kinds[(index + row / 2) % std::size(value_kinds)] : random.pick(value_kinds);

  const std::int64_t most = std::max<std::int64_t>(max_elements / drawn.head_dim, 1);
  drawn.num_parallel = std::min(random.between(1, 3), most);
  // A stream has at least as many slots as it has positions, so that `slots` is never raised.
  drawn.positions = draw_positions(std::max<std::int64_t>(most / drawn.num_parallel, 1), random);
  const std::int64_t least_slots = std::max<std::int64_t>(drawn.positions * drawn.num_parallel, 1);
  drawn.slots = std::min(most, least_slots + random.between(0, least_slots));
  drawn.steps = random.one_in(32) ? 0 : random.between(1, 3);
  drawn.extra_chunks = random.one_in(4) ? random.between(0, drawn.num_parallel - 1) : 0;
  drawn.chunk_size = random.pick(chunk_sizes);
  const std::int64_t most_tokens = std::max<std::int64_t>(most / drawn.num_parallel, 1);
  drawn.chunk_size = std::min(drawn.chunk_size, most_tokens);
  drawn.warps_per_block = random.pick(warps);
  const bool no_blocks = drawn.positions == 0 && random.one_in(2);
  drawn.blocks_per_chunk = no_blocks ? 0 : random.between(1, 4);
  static constexpr double shares[] = {0.0, 0.125, 0.25, 0.5, 1.0};
  drawn.invalid_share = random.one_in(2) ? 0.125 : random.pick(shares);
  drawn.reserved_bits = !random.one_in(4);
  drawn.free_members = !random.one_in(4);
  drawn.wide_tokens = !random.one_in(3);
  drawn.random_tiles = !random.one_in(3);
  drawn.delta_v_step_rows = draw_stride(drawn, random);
  return drawn;
}

}  // namespace chainwalk::generate
