// SPDX-License-Identifier: Apache-2.0
// One record through the reference and the oracle of an installed Chainwalk (ARI-1, ARI-2).
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>

#include "chainwalk/oracle/oracle.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/problem.h"

int main() {
  // A bank of one f32 row of four columns, one token row, one group of one member in one of four
  // tiles: out = 3 * 0.5 + (2 * 0.25 + 0) = 2 in every column.
  alignas(16) const std::array<float, 4> bank{3, 3, 3, 3};
  alignas(16) const std::array<float, 4> token_row{0.25F, 0.25F, 0.25F, 0.25F};
  const chainwalk::Record record{0xC0000000U, 0, std::bit_cast<std::uint32_t>(2.0F),
                                 std::bit_cast<std::uint32_t>(0.5F)};
  const std::array<std::int32_t, 5> bounds{0, 1, 1, 1, 1}, prefix{0, 1, 1, 1, 1};

  chainwalk::Problem problem;
  problem.shape = {.bank_type = chainwalk::BankType::f32,
                   .slots = 1,
                   .head_dim = 4,
                   .num_chunks = 1,
                   .positions = 1,
                   .num_parallel = 1,
                   .chunk_size = 1,
                   .delta_v_rows = 1,
                   .delta_v_step_rows = 0,
                   .warps_per_block = 4,
                   .blocks_per_chunk = 1};
  problem.bank_before = std::as_bytes(std::span(bank));
  problem.delta_v = token_row;
  problem.records = {&record, 1};
  problem.tile_bounds = bounds;
  problem.group_prefix = prefix;

  for (const auto run : {+[](const chainwalk::Problem& p, const chainwalk::Outputs& o) {
                           chainwalk::reference::run(p, o);
                         },
                         +[](const chainwalk::Problem& p, const chainwalk::Outputs& o) {
                           chainwalk::oracle::run(p, o);
                         }}) {
    const chainwalk::OutputBuffers buffers(problem);
    run(problem, buffers.views());
    std::array<float, 4> out{};
    std::memcpy(out.data(), buffers.views().bank.data(), sizeof out);
    if (out != std::array<float, 4>{2, 2, 2, 2}) {
      std::printf("expected 2 in every column, got %a\n", static_cast<double>(out[0]));
      return 1;
    }
  }
  std::puts("the installed reference and oracle agree: 2 in every column");
}
