// SPDX-License-Identifier: Apache-2.0
// Draws parameters of problems that a member serves (GEO-2, GEO-8).
#include "draw_case.h"

#include <algorithm>
#include <array>
#include <random>

#include "chainwalk/spec/head.h"
#include "geometry.h"

namespace chainwalk::device {
namespace {

constexpr std::array<std::int64_t, 47> heads = {
    1,   2,   3,   4,   5,   6,   7,   8,   12,   16,   31,   33,   48,   63,   64,  66,
    100, 120, 127, 128, 129, 130, 132, 136, 192,  200,  240,  255,  256,  257,  260, 264,
    300, 320, 384, 392, 480, 512, 514, 768, 1000, 1024, 1028, 1032, 1030, 2055, 2560};

std::int32_t slices_of(const Head& head) { return static_cast<std::int32_t>(head.slices); }

bool serves(const KernelTraits& traits, std::int64_t head_dim) {
  const Head head = make_head(head_dim, traits.bank);
  return serves_head(traits, static_cast<std::int32_t>(head_dim), slices_of(head),
                     static_cast<std::int32_t>(head.slice_width));
}

std::int64_t draw_head(const KernelTraits& traits, std::mt19937_64& random) {
  for (;;) {
    const std::int64_t any = 1 + static_cast<std::int64_t>(random() % 700);
    const std::int64_t head = random() % 4 == 0 ? any : heads[random() % heads.size()];
    // Heads of many columns are slow to emulate: a few of them are enough.
    if (head > 600 && random() % 4 != 0) continue;
    if (serves(traits, head)) return head;
  }
}

// How the columns of a row lie on warps: one walks them all; one of whole rows has all its lanes
// filled; or more than one warp or block walks them, or one in turn.
enum class Width : std::uint8_t { narrow, filled, wide };
Width width_of(const KernelTraits& traits, std::int64_t head_dim) {
  if (traits.form == Form::rows) {
    const RowsShape shape = rows_shape(traits, static_cast<std::int32_t>(head_dim));
    if (shape.parts > 1) return Width::wide;
    return shape.full ? Width::filled : Width::narrow;
  }
  const bool wide = slices_of(make_head(head_dim, traits.bank)) > slices_per_warp(traits);
  return wide ? Width::wide : Width::narrow;
}

// QNT-9, PLN-3.
bool quantizes(const KernelTraits& traits, std::int64_t head_dim) {
  const bool cluster = traits.quantizing == Quantizing::cluster;
  const bool all_slices = traits.quantizing == Quantizing::all_slices;
  if (!cluster && !all_slices) return true;
  const Head head = make_head(head_dim, traits.bank);
  return head.head_class == HeadClass::regular && (cluster || head.slices > 1);
}

}  // namespace

generate::Parameters draw_case(std::size_t kernel, std::uint64_t seed, std::uint64_t index) {
  const KernelTraits& traits = kernel_family[kernel];
  std::mt19937_64 random(seed * 0x9E37'79B9'7F4A'7C15ULL + index * 1'000'003U + kernel);
  generate::Parameters drawn = generate::draw_parameters(seed, 300 + index * 151 + kernel, 1 << 16);
  drawn.bank_type = traits.bank;
  drawn.snapshot = traits.snapshot;
  drawn.head_dim = draw_head(traits, random);
  drawn.num_parallel = 1 + static_cast<std::int64_t>(random() % 2);
  drawn.steps = 1 + static_cast<std::int64_t>(random() % 2);
  drawn.extra_chunks = 0;
  const std::int64_t most = std::clamp<std::int64_t>(40'000 / drawn.head_dim, 12, 150);
  drawn.positions = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)) + 1;
  drawn.slots = drawn.num_parallel * drawn.positions + 3;
  drawn.chunk_size = 1 + static_cast<std::int64_t>(random() % 20);
  drawn.delta_v_step_rows = random() % 3 == 0 ? 0 : -1;
  const bool may_be_four =
      traits.bank == BankType::bf16 && !writes_quantized(traits) && traits.form != Form::two_slices;
  const bool four = may_be_four && random() % 3 == 0;
  drawn.warps_per_block = four ? 4 : random() % 4 == 0 ? 16 : 8;
  drawn.blocks_per_chunk = 1 + static_cast<std::int64_t>(random() % 2);
  return drawn;
}

std::vector<generate::Parameters> small_cases(std::size_t kernel) {
  constexpr std::int64_t widest = 2048;
  const KernelTraits& traits = kernel_family[kernel];
  generate::Parameters parameters;
  parameters.bank_type = traits.bank;
  parameters.snapshot = traits.snapshot;
  parameters.steps = 1;
  parameters.chunk_size = 5;
  // 40 positions a tile: two batches of records. Groups of one member, so that a tile of dense rows
  // goes once around its ring and beyond.
  parameters.positions = 320;
  parameters.slots = parameters.num_parallel * parameters.positions;
  parameters.blocks_per_chunk = 1;
  parameters.random_tiles = false;
  parameters.invalid_share = 0.1;
  if (traits.source != BaseSource::bank_direct) parameters.groups = generate::Groups::single;
  std::vector<generate::Parameters> cases;
  for (const Width width : {Width::narrow, Width::filled, Width::wide}) {
    const auto fits = [&](std::int64_t head_dim) {
      return serves(traits, head_dim) && quantizes(traits, head_dim) &&
             width_of(traits, head_dim) == width;
    };
    parameters.head_dim = 1;
    while (parameters.head_dim <= widest && !fits(parameters.head_dim)) ++parameters.head_dim;
    if (parameters.head_dim <= widest) cases.push_back(parameters);
  }
  return cases;
}

}  // namespace chainwalk::device
