// SPDX-License-Identifier: Apache-2.0
// Random problems: the reference equals the oracle, whatever the instruction set and the number of
// threads (REC, ARI, NUM, SNP, QNT, TIL-5, DET-1).
#include <gtest/gtest.h>

#include <string>

#include "chainwalk/generate/generate.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/reference/reference.h"
#include "outputs_equal.h"

namespace chainwalk::reference {
namespace {

constexpr std::uint64_t seed = 20;

class Agreement : public ::testing::TestWithParam<InstructionSet> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) {
      GTEST_SKIP() << to_string(GetParam()) << " is not available on this processor";
    }
  }
};

TEST_P(Agreement, EqualsTheOracleOnRandomProblems) {
  for (std::uint64_t index = 0; index < 250; ++index) {
    const auto parameters = generate::draw_parameters(seed, index, 1 << 13);
    const Problem problem = generate::make_problem(parameters, seed, index);
    OutputBuffers expected(problem);
    oracle::run(problem, expected.views());
    for (const unsigned threads : {1U, 2U, 5U}) {
      OutputBuffers observed(problem);
      run(problem, observed.views(), {threads, GetParam()});
      ASSERT_TRUE(outputs_equal(observed.views(), expected.views()))
          << "threads " << threads << ", index " << index << ", " << generate::to_json(parameters);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(InstructionSets, Agreement,
                         ::testing::Values(InstructionSet::portable, InstructionSet::avx2,
                                           InstructionSet::avx512, InstructionSet::avx512_bf16,
                                           InstructionSet::best),
                         [](const auto& set) { return std::string(to_string(set.param)); });

}  // namespace
}  // namespace chainwalk::reference
