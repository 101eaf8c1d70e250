// SPDX-License-Identifier: Apache-2.0
// What may not change a bit: tile sets, column and thread cuts, snapshot forms (TIL-5, GEO-4,
// DET-1, QNT-7, ARI-6).
#include <gtest/gtest.h>

#include "chainwalk/generate/generate.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/reference/walk.h"
#include "chainwalk/spec/tiles.h"
#include "outputs_equal.h"

namespace chainwalk::reference {
namespace {

TEST(Invariance, Til5AnyTileSetGivesTheSameBits) {
  for (std::uint64_t index = 0; index < 150; ++index) {
    const auto parameters = generate::draw_parameters(22, index, 1 << 12);
    const Problem problem = generate::make_problem(parameters, 22, index);
    if (problem.shape.positions == 0) continue;
    const OutputBuffers expected(problem);
    run(problem, expected.views());
    for (const std::int64_t blocks : {1, 3, 16}) {
      const Problem other = with_standard_tiles(problem, 4, blocks);
      const OutputBuffers observed(other);
      run(other, observed.views());
      ASSERT_TRUE(outputs_equal(observed.views(), expected.views()))
          << "index " << index << ", blocks " << blocks;
    }
  }
}

TEST(Invariance, Det1WideHeadsInOneTileAreCutByColumns) {
  for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::int4}) {
    generate::Parameters parameters;
    parameters.head_dim = 5003;
    parameters.snapshot = form;
    parameters.num_parallel = 1;
    parameters.slots = 8;
    parameters.positions = 600;
    parameters.groups = generate::Groups::whole;
    parameters.blocks_per_chunk = 1;
    parameters.invalid_share = 0;
    const Problem problem = generate::make_problem(parameters, 23, 0);
    const OutputBuffers expected(problem);
    for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
      walk_step(SpecRules{}, problem, step, expected.views());
    }
    for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2,
                                     InstructionSet::avx512, InstructionSet::avx512_bf16}) {
      if (!is_available(set)) continue;
      for (const unsigned threads : {1U, 2U, 5U}) {
        const OutputBuffers observed(problem);
        run(problem, observed.views(), {threads, set});
        ASSERT_TRUE(outputs_equal(observed.views(), expected.views()))
            << to_string(form) << ", " << to_string(set) << ", threads " << threads;
      }
    }
  }
}

TEST(Invariance, Qnt7BankIsTheSameWithEverySnapshotForm) {
  for (std::uint64_t index = 0; index < 100; ++index) {
    auto parameters = generate::draw_parameters(24, index, 1 << 12);
    parameters.snapshot = SnapshotForm::none;
    // Without snapshot rows the prefix is free (TIL-4): here it has to be right.
    const Problem made = generate::make_problem(parameters, 24, index);
    const Problem problem =
        with_tiles(made, made.shape.warps_per_block, made.shape.blocks_per_chunk,
                   {made.tile_bounds.begin(), made.tile_bounds.end()});
    const OutputBuffers expected(problem);
    run(problem, expected.views());
    for (const SnapshotForm form :
         {SnapshotForm::raw, SnapshotForm::bf16, SnapshotForm::fp8, SnapshotForm::int4}) {
      if (form == SnapshotForm::bf16 && parameters.bank_type == BankType::bf16) continue;
      Problem other = problem;
      other.shape.snapshot = form;
      const OutputBuffers observed(other);
      run(other, observed.views());
      ASSERT_TRUE(bytes_equal("bank", observed.views().bank, expected.views().bank))
          << "index " << index << ", " << to_string(form);
    }
  }
}

}  // namespace
}  // namespace chainwalk::reference
