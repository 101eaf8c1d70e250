// SPDX-License-Identifier: Apache-2.0
// Tile sets, groups and ordinals against brute force (TIL-1, TIL-2, TIL-4, TIL-5, SNP-1).
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"
#include "small_problem.h"

namespace chainwalk {
namespace {

std::vector<Record> chunk_of(const std::vector<int>& lengths, const std::vector<bool>& invalid) {
  std::vector<Record> chunk;
  for (std::size_t group = 0; group < lengths.size(); ++group) {
    for (int member = 0; member < lengths[group]; ++member) {
      Record record{0, static_cast<std::uint32_t>(group), tests::one_f32, tests::one_f32};
      if (member == 0) record.x |= record_first;
      if (member == lengths[group] - 1) record.x |= record_last;
      if (invalid[group]) record.x |= record_invalid;
      chunk.push_back(record);
    }
  }
  return chunk;
}

std::vector<Record> any_chunk() {
  const auto lengths = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 9));
  const auto invalid =
      *rc::gen::container<std::vector<bool>>(lengths.size(), rc::gen::arbitrary<bool>());
  return chunk_of(lengths, invalid);
}

// TIL-2 as it is written: of all FIRSTs and n, the nearest, the earlier of two.
std::int32_t nearest_first(const std::vector<Record>& chunk, std::int64_t target) {
  std::int64_t best = -1;
  const auto n = static_cast<std::int64_t>(chunk.size());
  for (std::int64_t at = 0; at <= n; ++at) {
    if (at < n && !is_first(chunk[static_cast<std::size_t>(at)])) continue;
    if (best < 0 || std::abs(at - target) < std::abs(best - target)) best = at;
  }
  return static_cast<std::int32_t>(best);
}

TEST(Tiles, RuleTIL2ExampleOfTheSpecification) {
  const auto chunk = chunk_of({3, 1, 5, 3}, {false, false, false, false});
  EXPECT_EQ(standard_tile_bounds(chunk, 4), (std::vector<std::int32_t>{0, 3, 4, 9, 12}));
  EXPECT_EQ(standard_tile_bounds(chunk, 2), (std::vector<std::int32_t>{0, 4, 12}));
}

TEST(Tiles, RuleTIL2TieGoesToTheEarlier) {
  const auto chunk = chunk_of({2, 4, 2}, {false, false, false});  // FIRSTs 0, 2, 6; target 4
  EXPECT_EQ(standard_tile_bounds(chunk, 2), (std::vector<std::int32_t>{0, 2, 8}));
}

TEST(Tiles, RuleTIL2EmptyChunk) {
  EXPECT_EQ(standard_tile_bounds({}, 3), (std::vector<std::int32_t>{0, 0, 0, 0}));
}

RC_GTEST_PROP(Tiles, RuleTIL2EqualsBruteForce, ()) {
  const auto chunk = any_chunk();
  const auto tiles = *rc::gen::inRange<std::int64_t>(1, 20);
  const auto bounds = standard_tile_bounds(chunk, tiles);
  RC_ASSERT(bounds.size() == static_cast<std::size_t>(tiles + 1));
  for (std::int64_t t = 0; t <= tiles; ++t) {
    const auto n = static_cast<std::int64_t>(chunk.size());
    RC_ASSERT(bounds[static_cast<std::size_t>(t)] == nearest_first(chunk, t * n / tiles));
  }
}

RC_GTEST_PROP(Tiles, RuleTIL4PrefixCountsValidGroupsBefore, ()) {
  const auto chunk = any_chunk();
  const auto bounds = standard_tile_bounds(chunk, *rc::gen::inRange<std::int64_t>(1, 20));
  const auto prefix = group_prefix_of(chunk, bounds);
  const auto groups = groups_of(chunk);
  for (std::size_t t = 0; t < bounds.size(); ++t) {
    std::int32_t before = 0;
    for (const Group& group : groups) before += group.ordinal >= 0 && group.begin < bounds[t];
    RC_ASSERT(prefix[t] == before);
  }
}

RC_GTEST_PROP(Tiles, GroupsPartitionTheChunk, ()) {
  const auto chunk = any_chunk();
  std::int64_t next = 0;
  std::int64_t ordinal = 0;
  for (const Group& group : groups_of(chunk)) {
    RC_ASSERT(group.begin == next);
    RC_ASSERT(is_first(chunk[static_cast<std::size_t>(group.begin)]));
    RC_ASSERT(is_last(chunk[static_cast<std::size_t>(group.end - 1)]));
    const bool invalid = is_invalid(chunk[static_cast<std::size_t>(group.begin)]);
    RC_ASSERT(group.ordinal == (invalid ? -1 : ordinal));
    ordinal += invalid ? 0 : 1;
    next = group.end;
  }
  RC_ASSERT(next == static_cast<std::int64_t>(chunk.size()));
}

TEST(Tiles, RuleTIL5DerivedTilesAreValidAndLeaveTheRestAlone) {
  tests::SmallProblem small;
  small.shape.num_chunks = 4;  // the trailing chunk would be cut too
  small.records.resize(24);
  small.bounds.resize(20);
  small.prefix.resize(20);
  const Problem problem = small.problem();
  for (const std::int64_t nw : {4, 8, 16}) {
    for (const std::int64_t blocks : {1, 2, 5}) {
      const Problem derived = with_standard_tiles(problem, nw, blocks);
      EXPECT_TRUE(validate(derived).empty());
      EXPECT_EQ(derived.shape.warps_per_block, nw);
      EXPECT_EQ(derived.shape.blocks_per_chunk, blocks);
      EXPECT_EQ(derived.records.data(), problem.records.data());
      EXPECT_EQ(derived.bank_before.data(), problem.bank_before.data());
    }
  }
}

TEST(Tiles, RuleTIL4ExampleOfTheSpecification) {
  const auto chunk = chunk_of({3, 1, 2}, {false, true, false});
  EXPECT_EQ(group_prefix_of(chunk, std::vector<std::int32_t>{0, 3, 4, 6}),
            (std::vector<std::int32_t>{0, 1, 1, 2}));
}

}  // namespace
}  // namespace chainwalk
