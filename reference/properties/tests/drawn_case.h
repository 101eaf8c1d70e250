// SPDX-License-Identifier: Apache-2.0
// Random problems whose parameters shrink: each is drawn by itself, and a seed feeds the generator.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>

#include "chainwalk/conformance/compare.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/problem.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::properties {

struct Limits {
  std::int64_t head_dim = 300;
  std::int64_t positions = 160;
  bool plain_values = false;  // no value whose scaling by a power of two could round
};

inline generate::Parameters draw_parameters(const Limits& limits = {}) {
  using rc::gen::element;
  using rc::gen::inRange;
  generate::Parameters p;
  p.bank_type = *element(BankType::bf16, BankType::f32);
  p.snapshot =
      *element(SnapshotForm::none, SnapshotForm::raw, SnapshotForm::fp8, SnapshotForm::int4);
  if (p.bank_type == BankType::f32 && *inRange(0, 5) == 4) p.snapshot = SnapshotForm::bf16;
  p.head_dim = *inRange<std::int64_t>(1, limits.head_dim + 1);
  p.num_parallel = *inRange<std::int64_t>(1, 4);
  p.steps = *inRange<std::int64_t>(1, 4);
  p.extra_chunks = *inRange<std::int64_t>(0, p.num_parallel);
  p.chunk_size = *element<std::int64_t>(1, 2, 16, 31, 256);
  p.positions = *inRange<std::int64_t>(0, limits.positions + 1);
  p.slots = *inRange<std::int64_t>(1, 400);
  p.warps_per_block = *element<std::int64_t>(4, 8, 16);
  p.blocks_per_chunk = *inRange<std::int64_t>(1, 5);
  p.groups = *element(generate::Groups::single, generate::Groups::mixed, generate::Groups::borders,
                      generate::Groups::whole);
  p.values = limits.plain_values ? generate::Values::plain
                                 : *element(generate::Values::plain, generate::Values::special,
                                            generate::Values::special, generate::Values::bits);
  p.invalid_share = *element(0.0, 0.125, 0.5, 1.0);
  p.reserved_bits = *rc::gen::arbitrary<bool>();
  p.free_members = *rc::gen::arbitrary<bool>();
  p.wide_tokens = *rc::gen::arbitrary<bool>();
  p.random_tiles = *rc::gen::arbitrary<bool>();
  p.delta_v_step_rows = *element<std::int64_t>(-1, -1, 0, 1, 5);
  return p;
}

// Says how to make the problem again where a property fails.
inline Problem draw_problem(const Limits& limits = {}) {
  const generate::Parameters parameters = draw_parameters(limits);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1U << 16U);
  const auto index = *rc::gen::inRange<std::uint64_t>(0, 64);
  RC_LOG() << "seed " << seed << ", index " << index << ", " << generate::to_json(parameters)
           << '\n';
  Problem problem = generate::make_problem(parameters, seed, index);
  RC_ASSERT(validate(problem).empty());
  return problem;
}

inline OutputBuffers run_reference(const Problem& problem, const reference::Options& options = {}) {
  OutputBuffers outputs(problem);
  reference::run(problem, outputs.views(), options);
  return outputs;
}

// Equal in every byte that is defined, and untouched in every other (SNP-4).
inline void assert_same(const Problem& problem, const OutputBuffers& expected,
                        const OutputBuffers& actual) {
  const auto result =
      conformance::compare(problem, expected.views(), actual.views(), {.poison = actual.poison()});
  if (result.equal()) return;
  const auto& first = result.differences.front();
  RC_LOG() << first.tensor << " row " << first.row << " column " << first.column << ": expected "
           << first.expected << ", got " << first.actual << '\n';
  RC_ASSERT(result.equal());
}

}  // namespace chainwalk::properties
