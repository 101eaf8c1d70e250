// SPDX-License-Identifier: Apache-2.0
// Any member on any device that it runs on, over any problem, geometry and schedule, plain or
// checked: the reference's bits and no finding (ARI, SNP, QNT, TIL-5, GEO-4, LCH, DET-1).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "draw_case.h"
#include "kernel_case.h"
#include "src/kernel_table.h"

namespace chainwalk::device {
namespace {

// The amount and the seed, before rapidcheck reads them; RC_PARAMS in the environment wins.
const bool amount_is_set = ::setenv("RC_PARAMS", "seed=4 max_success=500", 0) == 0;

TEST(AnyMember, LeavesTheReferencesBitsOnEveryDevice) {
  ASSERT_TRUE(amount_is_set);
  int plain = 0;
  int checked = 0;
  const bool can_check = emulator::checked_kernel(0) != nullptr;
  EXPECT_TRUE(rc::check("emulated bits equal the reference's", [&] {
    const auto kernel = *rc::gen::inRange<std::size_t>(0, kernel_count);
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
    const auto schedule = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
    const KernelTraits& traits = kernel_family[kernel];
    const bool async = traits.image == Image::async;
    const std::string device =
        async ? *rc::gen::element<std::string>("h100", "h200", "b200")
              : *rc::gen::element<std::string>("h100", "a100", "rtx4090", "b200");
    Trial run;
    run.schedule = numbered_schedule(schedule);
    run.checked = can_check && *rc::gen::inRange(0, 4) == 0;
    run.dependent = async && *rc::gen::arbitrary<bool>();
    const generate::Parameters parameters = draw_case(kernel, seed, 0);
    const Problem problem = generate::make_problem(parameters, seed, 0);
    const Outcome outcome = run_case(problem, kernel, run, device.c_str());
    RC_PRE(outcome.ran);
    RC_LOG() << traits.name << " on " << device << ", schedule "
             << emulator::to_string(run.schedule) << ", problem " << generate::to_json(parameters)
             << '\n';
    RC_ASSERT(outcome.mismatch == "");
    const std::string finding = outcome.findings.empty() ? "" : outcome.findings.front().message;
    RC_ASSERT(finding == "");
    ++(run.checked ? checked : plain);
  }));
  std::printf("%d cases plain, %d checked\n", plain, checked);
}

}  // namespace
}  // namespace chainwalk::device
