// SPDX-License-Identifier: Apache-2.0
// The reference against the oracle, and against itself under another schedule (REC, ARI, NUM, SNP,
// QNT, TIL-5, GEO-4, DET-1).
#include <algorithm>
#include <vector>

#include "chainwalk/oracle/oracle.h"
#include "chainwalk/spec/tiles.h"
#include "drawn_case.h"

namespace chainwalk::properties {
namespace {

using reference::InstructionSet;

TEST(AgreementProperty, ReferenceEqualsOracle) {
  EXPECT_TRUE(rc::check("reference equals oracle", [] {
    const Problem problem = draw_problem();
    OutputBuffers expected(problem);
    oracle::run(problem, expected.views());
    assert_same(problem, expected, run_reference(problem));
  }));
}

TEST(AgreementProperty, ThreadsAndInstructionSetsDoNotMatter) {
  EXPECT_TRUE(rc::check("DET-1: any threads, any instruction set", [] {
    const Problem problem = draw_problem();
    const OutputBuffers expected = run_reference(problem, {1, InstructionSet::portable});
    const auto set = *rc::gen::element(InstructionSet::portable, InstructionSet::avx2,
                                       InstructionSet::avx512, InstructionSet::best);
    const auto threads = *rc::gen::inRange(0U, 9U);
    RC_PRE(reference::is_available(set));
    assert_same(problem, expected, run_reference(problem, {threads, set}));
  }));
}

// Bounds at any begins of groups, or at n.
std::vector<std::int32_t> draw_bounds(const Problem& problem, std::int64_t tiles) {
  std::vector<std::int32_t> bounds;
  for (std::int64_t chunk = 0; chunk < problem.shape.num_chunks; ++chunk) {
    std::vector<std::int32_t> places{static_cast<std::int32_t>(problem.shape.positions)};
    for (const Group& group : groups_of(problem.chunk_records(chunk))) {
      places.push_back(static_cast<std::int32_t>(group.begin));
    }
    std::vector<std::int32_t> one{0, static_cast<std::int32_t>(problem.shape.positions)};
    while (static_cast<std::int64_t>(one.size()) <= tiles) {
      one.push_back(*rc::gen::elementOf(places));
    }
    std::sort(one.begin(), one.end());
    bounds.insert(bounds.end(), one.begin(), one.end());
  }
  return bounds;
}

TEST(AgreementProperty, TileSetsDoNotMatter) {
  EXPECT_TRUE(rc::check("TIL-5: any well-formed tile set", [] {
    const Problem problem = draw_problem();
    const OutputBuffers expected = run_reference(problem);
    const auto warps = *rc::gen::element<std::int64_t>(4, 8, 16);
    const auto blocks = *rc::gen::inRange<std::int64_t>(1, 6);
    const Problem standard = with_standard_tiles(problem, warps, blocks);
    assert_same(problem, expected, run_reference(standard));
    const Problem free = with_tiles(problem, warps, blocks, draw_bounds(problem, warps * blocks));
    assert_same(problem, expected, run_reference(free));
  }));
}

}  // namespace
}  // namespace chainwalk::properties
