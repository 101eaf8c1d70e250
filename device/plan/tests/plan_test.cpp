// SPDX-License-Identifier: Apache-2.0
// Plans as values: what they hold, their greatest step, empty ones, and steps that may be launched
// (PLN-8, PLN-9, PLN-10, LCH-1, LCH-2).
#include <gtest/gtest.h>

#include <vector>

#include "arithmetic.h"
#include "chainwalk/generate/generate.h"
#include "family_plan.h"
#include "sample_requests.h"

namespace chainwalk::plan {
namespace {

using samples::good_request;
using samples::place;
using samples::tensor;

Plan must_plan(const Request& request, const char* device = "h100") {
  auto made = make_plan_of(samples::family, request, *find_device(device));
  if (const auto* refusal = std::get_if<Refusal>(&made)) {
    ADD_FAILURE() << refusal->message;
    return {};
  }
  return std::get<Plan>(made);
}

TEST(Plan, HoldsWhatTheRequestSays) {
  Request request = good_request(SnapshotForm::fp8);
  const Plan plan = must_plan(request);
  EXPECT_EQ(plan.version, plan_version);
  EXPECT_FALSE(plan.empty);
  EXPECT_FALSE(plan.why.empty());
  const device::WalkParameters& p = plan.parameters;
  EXPECT_EQ(p.bank, request.bank.data);
  EXPECT_EQ(p.delta_v, request.delta_v.data);
  EXPECT_EQ(static_cast<const void*>(p.records), request.records.data);
  EXPECT_EQ(p.tile_bounds, request.tile_bounds.data);
  EXPECT_EQ(p.group_prefix, request.group_prefix.data);
  EXPECT_EQ(p.payload, request.payload.data);
  EXPECT_EQ(p.scale, request.scale.data);
  EXPECT_EQ(p.snapshot, nullptr);
  EXPECT_EQ(p.positions, 64);
  EXPECT_EQ(p.delta_v_step_rows, 32);
  EXPECT_EQ(p.payload_row_bytes, 256);
  EXPECT_EQ(p.head_dim, 256);
  EXPECT_EQ(p.slices, 2);
  EXPECT_EQ(p.slice_width, 128);
  EXPECT_EQ(p.num_parallel, 2);
  EXPECT_EQ(p.chunk_size, 16);
  EXPECT_EQ(p.tiles_per_chunk, 24);
  EXPECT_EQ(p.blocks_per_chunk, 3);
  EXPECT_EQ(p.snapshot_step, 2);
}

// PLN-8, each term by itself.
TEST(Plan, GreatestStepIsTheLeastOfItsTerms) {
  Request request = good_request();
  EXPECT_EQ(must_plan(request).greatest_step, 2);  // both terms: 6/2 - 1, (96 - 32)/32
  request.records = tensor(place(2), ElementType::i32, {5, 64, 4});
  request.tile_bounds.shape[0] = request.group_prefix.shape[0] = 5;
  EXPECT_EQ(must_plan(request).greatest_step, 1);  // a trailing chunk never runs
  request = good_request();
  request.delta_v_step_rows = 33;
  EXPECT_EQ(must_plan(request).greatest_step, 1);  // (96 - 32)/33
  request.delta_v_step_rows = 65;
  EXPECT_EQ(must_plan(request).greatest_step, 0);
  request.delta_v_step_rows = 0;
  EXPECT_EQ(must_plan(request).greatest_step, 2);
  request.records = tensor(place(2), ElementType::i32, {1, 64, 4});
  request.tile_bounds.shape[0] = request.group_prefix.shape[0] = 1;
  EXPECT_EQ(must_plan(request).greatest_step, -1);
  request = good_request();
  request.num_parallel = 0;
  request.delta_v_step_rows = 0;
  EXPECT_EQ(must_plan(request).greatest_step, 2147483647);
  request.delta_v_step_rows = 1;
  EXPECT_EQ(must_plan(request).greatest_step, 96);
}

// PLN-9: a plan that launches nothing still has its steps checked, and its request too.
TEST(Plan, EmptyPlansCheckEverything) {
  Request no_blocks = good_request();
  no_blocks.blocks_per_chunk = 0;
  for (Tensor* tiles : {&no_blocks.tile_bounds, &no_blocks.group_prefix}) {
    *tiles = tensor(reinterpret_cast<std::uintptr_t>(tiles->data), ElementType::i32, {6, 1});
  }
  Request no_bank = good_request();
  no_bank.bank = tensor(0, ElementType::bf16, {0, 256});
  Request no_streams = good_request();
  no_streams.num_parallel = 0;
  for (Request& request : std::vector<Request>{no_blocks, no_bank, no_streams}) {
    const Plan plan = must_plan(request);
    EXPECT_TRUE(plan.empty);
    EXPECT_GE(plan.greatest_step, 0);
    request.records.type = ElementType::f32;
    const auto made = make_plan_of(samples::family, request, *find_device("h100"));
    ASSERT_TRUE(std::holds_alternative<Refusal>(made));
    EXPECT_EQ(std::get<Refusal>(made).check, Check::pln2_records_type);
  }
  // The occupancy query is skipped for an empty plan (PLN-6).
  Request cluster = good_request(SnapshotForm::fp8);
  cluster.bank = tensor(0, ElementType::bf16, {0, 256});
  cluster.wish.kernel = "cluster_fp8";
  const auto made = make_plan_of(samples::family, cluster, *find_device("a100"));
  ASSERT_TRUE(std::holds_alternative<Refusal>(made));
  EXPECT_EQ(std::get<Refusal>(made).check, Check::pln6_image);
}

Check step_check(const Plan& plan, std::int64_t step, int dependent) {
  const auto refusal = check_step(plan, step, dependent);
  return refusal ? refusal->check : Check{};
}

TEST(Plan, StepsOutsideTheRangeAreRefused) {
  Plan plan = must_plan(good_request());
  plan.kernel = 0;
  for (std::int64_t step = 0; step <= plan.greatest_step; ++step) {
    EXPECT_FALSE(check_step(plan, step, 0));
  }
  EXPECT_EQ(step_check(plan, -1, 0), Check::lch1_step);
  EXPECT_EQ(step_check(plan, 3, 0), Check::lch1_step);
  EXPECT_EQ(step_check(plan, INT64_MAX, 0), Check::lch1_step);
  EXPECT_EQ(step_check(plan, 0, 2), Check::lch1_flag);
  EXPECT_EQ(step_check(plan, 0, -1), Check::lch1_flag);
  EXPECT_EQ(step_check(plan, 3, 2), Check::lch1_step);
  EXPECT_NE(check_step(plan, 3, 0)->message.find("step is 3; it must be in 0..2"),
            std::string::npos);
}

TEST(Plan, DependentLaunchNeedsTheAsyncImage) {
  Plan plan = must_plan(good_request());
  for (std::size_t i = 0; i < device::kernel_count; ++i) {
    plan.kernel = i;
    const bool async = device::kernel_family[i].image == device::Image::async;
    EXPECT_EQ(step_check(plan, 0, 1), async ? Check{} : Check::lch2_dependent);
  }
}

TEST(Plan, APlanOfAnotherVersionIsRefused) {
  Plan plan = must_plan(good_request());
  plan.kernel = 0;
  plan.version = plan_version + 1;
  EXPECT_EQ(step_check(plan, -1, 7), Check::pln10_version);
  EXPECT_EQ(step_check(Plan{}, 0, 0), Check::pln10_version);
  plan.version = plan_version;
  plan.kernel = device::kernel_count;
  EXPECT_EQ(step_check(plan, 0, 0), Check::pln10_version);
}

// A problem's views make a request that plans, whatever its shape.
TEST(Plan, RequestsForGeneratedProblemsPassEveryCheckBeforeTheFamily) {
  int planned = 0;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const Problem problem =
        generate::make_problem(generate::draw_parameters(11, i, 1 << 12), 11, i);
    const OutputBuffers outputs(problem);
    const Request request = request_for(problem, outputs.views());
    const auto made = make_plan_of(samples::family, request, *find_device("h100"));
    if (const auto* refusal = std::get_if<Refusal>(&made)) {
      const bool unserved =
          refusal->check == Check::geo8_form || refusal->check == Check::qnt9_head;
      const bool narrow = refusal->check == Check::pln1_warps && problem.shape.warps_per_block == 4;
      EXPECT_TRUE(unserved || narrow) << i << ": " << refusal->message;
    } else {
      ++planned;
      EXPECT_EQ(std::get<Plan>(made).greatest_step, problem.shape.steps() - 1) << i;
    }
  }
  EXPECT_GT(planned, 30);
}

// PLN-7: products that do not fit are seen without being formed.
TEST(Arithmetic, ProductsAreBoundedByDivision) {
  static_assert(product_within(0, int64_greatest, 0));
  static_assert(product_within(3, 5, 15) && !product_within(3, 5, 14));
  static_assert(!product_within(int64_greatest, 2, int64_greatest));
  static_assert(product({int64_greatest, int64_greatest, 0}) == 0);
  static_assert(!product({std::int64_t{1} << 40U, std::int64_t{1} << 40U}));
  static_assert(product({std::int64_t{1} << 31U, std::int64_t{1} << 31U}) == std::int64_t{1}
                                                                                 << 62U);
}

}  // namespace
}  // namespace chainwalk::plan
