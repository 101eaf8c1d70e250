// SPDX-License-Identifier: Apache-2.0
// The emulator behind the C interface: the reference's bits on every kernel that serves a problem,
// and refusals with the plan's reasons (GEO-4, GEO-8, LCH-1, LCH-2).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/harness.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/plan/plan.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::adapters {
namespace {

using conformance::Harness;

conformance::Implementation emulator_with(std::vector<std::string> options) {
  conformance::Implementation chosen;
  chosen.table = emulator_implementation();
  chosen.memory = conformance::host_memory();
  chosen.options = std::move(options);
  return chosen;
}

Problem make(BankType bank, SnapshotForm form, std::int64_t head_dim) {
  generate::Parameters parameters;
  parameters.bank_type = bank;
  parameters.snapshot = form;
  parameters.head_dim = head_dim;
  parameters.positions = 48;
  parameters.blocks_per_chunk = 1;
  return generate::make_problem(parameters, 6, 2);
}

void expect_reference_bits(Harness& harness, const Problem& problem, const std::string& what) {
  const OutputBuffers expected(problem);
  reference::run(problem, expected.views());
  const conformance::Outcome outcome = harness.run(problem);
  ASSERT_EQ(outcome.status, CW_OK) << what << ": " << outcome.text;
  EXPECT_FALSE(outcome.stray) << what;
  EXPECT_TRUE(conformance::compare(problem, expected.views(), outcome.outputs->views(),
                                   {.poison = outcome.outputs->poison()})
                  .equal())
      << what;
}

// Every member of the family on a head that it serves.
TEST(EmulatorAdapter, EveryKernelLeavesTheReferencesBits) {
  int served = 0;
  for (const auto& kernel : device::kernel_family) {
    Harness harness(emulator_with({"kernel=" + std::string(kernel.name), "schedule=3"}));
    bool ran = false;
    for (const std::int64_t head_dim : {256, 64, 30}) {
      const Problem problem = make(kernel.bank, kernel.snapshot, head_dim);
      if (harness.unsupported(problem)) continue;
      expect_reference_bits(harness, problem,
                            std::string(kernel.name) + " at " + std::to_string(head_dim));
      ran = true;
      break;
    }
    EXPECT_TRUE(ran) << kernel.name << " serves none of the heads";
    served += ran ? 1 : 0;
  }
  EXPECT_GT(served, 100);
}

TEST(EmulatorAdapter, DependentLaunchesAndCheckedRunsLeaveTheSameBits) {
  for (const std::string option : {"dependent=1", "checked=1", "device=b200", "threads=1"}) {
    Harness harness(emulator_with({option}));
    expect_reference_bits(harness, make(BankType::bf16, SnapshotForm::raw, 256), option);
  }
}

// No tensor map describes the dense rows of chunks that have none.
TEST(EmulatorAdapter, DenseRowKernelsWalkEmptyChunks) {
  generate::Parameters parameters;
  parameters.bank_type = BankType::bf16;
  parameters.snapshot = SnapshotForm::none;
  parameters.head_dim = 256;
  parameters.positions = 0;
  parameters.blocks_per_chunk = 1;
  const Problem problem = generate::make_problem(parameters, 6, 2);
  for (const char* kernel :
       {"kernel=slices_bf16_none_dense", "kernel=two_slices_bf16_none_dense"}) {
    Harness harness(emulator_with({kernel, "checked=1"}));
    expect_reference_bits(harness, problem, kernel);
  }
}

TEST(EmulatorAdapter, RefusalsCarryThePlansCodes) {
  const Problem problem = make(BankType::bf16, SnapshotForm::none, 256);
  const auto refusal = [&](std::vector<std::string> options) {
    Harness harness(emulator_with(std::move(options)));
    return harness.run(problem).refusal;
  };
  EXPECT_EQ(refusal({"kernel=two_slices_bf16_raw"}), CW_GEO8_FORM);
  EXPECT_EQ(refusal({"kernel=two_slices_bf16_none", "device=rtx4090"}), CW_PLN6_IMAGE);
  EXPECT_EQ(refusal({"dependent=1", "device=a100"}), CW_LCH2_DEPENDENT);
  Harness harness(emulator_with({}));
  EXPECT_EQ(harness.step_only(problem, 99).refusal, CW_LCH1_STEP);
}

TEST(EmulatorAdapter, BadOptionsAreNamed) {
  for (const char* option : {"schedule=sometimes", "checked=2", "device=h1000", "kernel=none",
                             "threads=-1", "colour=red"}) {
    try {
      const Harness harness(emulator_with({option}));
      FAIL() << option;
    } catch (const InputError& error) {
      const std::string value = std::string(option).substr(std::string(option).find('=') + 1);
      EXPECT_NE(std::string(error.what()).find(value), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace chainwalk::adapters
