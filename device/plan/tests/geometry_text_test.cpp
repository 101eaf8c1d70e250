// SPDX-License-Identifier: Apache-2.0
// Geometries as text: there and back, bad ones named, and the cut that one gives a problem (GEO-4).
#include "chainwalk/plan/geometry_text.h"

#include <gtest/gtest.h>

#include "chainwalk/plan/device_class.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::plan {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    (void)parse_geometry(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(GeometryText, EveryFieldIsTakenAndGivenBack) {
  const std::string text =
      "kernel=rows_bf16_none_c8:warps=16:blocks=3:slices=2:offsets=32:portable=1:quantizing=2:"
      "source=dense_rows:shared=65536";
  const ForcedGeometry geometry = parse_geometry(text);
  EXPECT_EQ(geometry.kernel, "rows_bf16_none_c8");
  EXPECT_EQ(geometry.warps_per_block, 16);
  EXPECT_EQ(geometry.blocks_per_chunk, 3);
  EXPECT_EQ(geometry.slices_per_warp, 2);
  EXPECT_EQ(geometry.offset_bits, 32);
  EXPECT_EQ(geometry.portable, 1);
  EXPECT_EQ(geometry.quantizing_form, 2);
  EXPECT_EQ(geometry.source, device::BaseSource::dense_rows);
  EXPECT_EQ(geometry.shared_cap, 65536);
  EXPECT_EQ(to_string(geometry), text);
  EXPECT_EQ(parse_geometry(""), ForcedGeometry());
  EXPECT_EQ(parse_geometry("tile=5").tile_positions, 5);
}

TEST(GeometryText, BadFieldsAreNamed) {
  EXPECT_NE(refusal_of("warps=eight").find("warps is 'eight'"), std::string::npos);
  EXPECT_NE(refusal_of("blocks=-1").find("blocks is '-1'"), std::string::npos);
  EXPECT_NE(refusal_of("tile=0").find("tile is '0'"), std::string::npos);
  EXPECT_NE(refusal_of("blocks=99999999999999999999").find("99999999999999999999"),
            std::string::npos);
  EXPECT_NE(refusal_of("colour=red").find("'colour'"), std::string::npos);
  EXPECT_NE(refusal_of("warps").find("'warps' is not name=value"), std::string::npos);
  EXPECT_NE(refusal_of("source=air").find("source is 'air'"), std::string::npos);
  EXPECT_NE(refusal_of("tile=8:blocks=2").find("both"), std::string::npos);
}

TEST(GeometryText, ATileLengthGivesAsManyBlocksAsItTakes) {
  ProblemShape shape;
  shape.positions = 1000;
  shape.warps_per_block = 8;
  shape.blocks_per_chunk = 2;
  const auto cut = [&](const char* text) {
    const Cut made = cut_of(parse_geometry(text), shape);
    return std::pair(made.warps_per_block, made.blocks_per_chunk);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(cut(""), Pair(8, 2));
  EXPECT_EQ(cut("warps=4"), Pair(4, 2));
  EXPECT_EQ(cut("tile=25"), Pair(8, 5));
  EXPECT_EQ(cut("tile=25:warps=16"), Pair(16, 3));
  EXPECT_EQ(cut("tile=1000000"), Pair(8, 1));
}

TEST(GeometryText, WhatThePlannerChoseCanBeForced) {
  ProblemShape shape;
  shape.slots = 10000;
  shape.head_dim = 256;
  shape.positions = 4096;
  shape.num_parallel = shape.num_chunks = 2;
  shape.chunk_size = 64;
  const auto chosen = choose_tiling(shape, *find_device("h100"));
  const auto& tiling = std::get<Tiling>(chosen);
  const ForcedGeometry forced = parse_geometry(to_string(forced_by(tiling)));
  const Cut cut = cut_of(forced, shape);
  EXPECT_EQ(cut.warps_per_block, tiling.warps_per_block);
  EXPECT_EQ(cut.blocks_per_chunk, tiling.blocks_per_chunk);
  EXPECT_EQ(forced.kernel, device::kernel_family[tiling.kernel].name);
}

}  // namespace
}  // namespace chainwalk::plan
