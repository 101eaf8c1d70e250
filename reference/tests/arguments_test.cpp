// SPDX-License-Identifier: Apache-2.0
// Arguments that are refused, and a caller's floating-point environment that changes no bit (NUM-3,
// ARI-1).
#include <gtest/gtest.h>

#include <cfenv>

#include "hand_problem.h"
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace chainwalk::reference {
namespace {

HandProblem one_group() {
  return {BankType::f32, 20, {zero}, {one}, {{first | last, 0, one, one}}};
}

TEST(Arguments, StepOutOfRange) {
  HandProblem hand = one_group();
  const OutputBuffers outputs = hand.run(InstructionSet::best);
  EXPECT_THROW(run_step(hand.problem(), -1, outputs.views()), std::out_of_range);
  EXPECT_THROW(run_step(hand.problem(), 1, outputs.views()), std::out_of_range);
}

TEST(Arguments, OutputsOfTheWrongSize) {
  HandProblem hand = one_group();
  hand.shape.snapshot = SnapshotForm::fp8;
  const OutputBuffers buffers = hand.run(InstructionSet::best);
  const auto refused = [&](auto change) {
    Outputs outputs = buffers.views();
    change(outputs);
    EXPECT_THROW(run(hand.problem(), outputs), std::invalid_argument);
  };
  refused([](Outputs& outputs) { outputs.bank = outputs.bank.first(79); });
  refused([](Outputs& outputs) { outputs.payload = outputs.payload.first(19); });
  refused([](Outputs& outputs) { outputs.scale = {}; });
}

TEST(Arguments, UnavailableInstructionSet) {
  HandProblem hand = one_group();
  const OutputBuffers outputs = hand.run(InstructionSet::best);
  for (const InstructionSet set :
       {InstructionSet::avx2, InstructionSet::avx512, InstructionSet::avx512_bf16}) {
    if (is_available(set)) continue;
    EXPECT_THROW(run(hand.problem(), outputs.views(), {1, set}), std::invalid_argument);
  }
  EXPECT_TRUE(is_available(InstructionSet::portable));
  EXPECT_TRUE(is_available(InstructionSet::best));
}

TEST(Arguments, NamesOfInstructionSets) {
  EXPECT_EQ(parse_instruction_set("avx512"), InstructionSet::avx512);
  EXPECT_EQ(parse_instruction_set("best"), InstructionSet::best);
  EXPECT_EQ(parse_instruction_set("AVX2"), std::nullopt);
  EXPECT_EQ(parse_instruction_set(""), std::nullopt);
  for (const InstructionSet set :
       {InstructionSet::portable, InstructionSet::avx2, InstructionSet::avx512,
        InstructionSet::avx512_bf16, InstructionSet::best}) {
    EXPECT_EQ(parse_instruction_set(to_string(set)), set);
    EXPECT_NE(std::string(instruction_set_names).find(to_string(set)), std::string::npos);
  }
  EXPECT_NE(resolve(InstructionSet::best), InstructionSet::best);
  EXPECT_TRUE(is_available(resolve(InstructionSet::best)));
  EXPECT_EQ(resolve(InstructionSet::avx512), InstructionSet::avx512);
}

TEST(Arguments, Num3CallersFloatingPointModesDoNotMatter) {
  std::fenv_t saved;
  std::fegetenv(&saved);
  for (const InstructionSet set : {InstructionSet::portable, InstructionSet::avx2,
                                   InstructionSet::avx512, InstructionSet::avx512_bf16}) {
    if (!is_available(set)) continue;
    HandProblem small(BankType::f32, 33, {0x0000'0003U}, {0x0000'0004U},
                      {{first | last, 0, one, one}});
    HandProblem tie(BankType::f32, 33, {0x3F80'0000U}, {0x3380'0000U},
                    {{first | last, 0, one, one}});
    std::fesetround(FE_UPWARD);
#ifdef __SSE2__
    _mm_setcsr(_mm_getcsr() | 0x8040U);  // flush to zero, denormals are zero
    const unsigned control = _mm_getcsr() & 0xFFC0U;
#endif
    const OutputBuffers of_small = small.run(set);
    const OutputBuffers of_tie = tie.run(set);
#ifdef __SSE2__
    EXPECT_EQ(_mm_getcsr() & 0xFFC0U, control);  // and they are left as they were
#endif
    std::fesetenv(&saved);
    EXPECT_EQ(small.row_bits(of_small, 0), 0x0000'0007U) << to_string(set);
    EXPECT_EQ(tie.row_bits(of_tie, 0), 0x3F80'0000U) << to_string(set);
  }
}

}  // namespace
}  // namespace chainwalk::reference
