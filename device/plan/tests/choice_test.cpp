// SPDX-License-Identifier: Apache-2.0
// Device classes, the choice of members and tilings, forced members, and what the family supports
// (GEO-5, GEO-6, GEO-8, PLN-6, QNT-10, TIL-3).
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <thread>

#include "chainwalk/plan/counters.h"
#include "chainwalk/plan/tiling.h"
#include "family_plan.h"
#include "geometry.h"
#include "sample_requests.h"
#include "serve.h"

namespace chainwalk::plan {
namespace {

using samples::good_request;
using samples::place;
using samples::tensor;

TEST(DeviceClass, TableMatchesThePublishedCaps) {
  const std::map<int, std::int64_t> caps{{80, 166912},  {86, 101376},  {89, 101376}, {90, 232448},
                                         {100, 232448}, {103, 232448}, {120, 101376}};
  std::set<int> seen;
  for (const DeviceClass& device : known_devices()) {
    SCOPED_TRACE(device.name);
    ASSERT_TRUE(caps.contains(device.compute_capability));
    EXPECT_EQ(device.shared_cap, caps.at(device.compute_capability));
    EXPECT_GE(device.shared_per_sm, device.shared_cap);
    const bool async = device.compute_capability >= 90 && device.compute_capability != 120;
    EXPECT_EQ(device.async_image, async);
    EXPECT_EQ(device.max_cluster, async ? 16 : 1);
    EXPECT_EQ(find_device(device.name), &device);
    EXPECT_EQ(class_of(device.compute_capability, 7)->multiprocessors, 7);
    seen.insert(device.compute_capability);
  }
  EXPECT_EQ(seen.size(), caps.size());
  EXPECT_EQ(find_device("H100"), find_device("h100"));
}

TEST(DeviceClass, WhatDoesNotExistIsNotFound) {
  EXPECT_EQ(find_device("h1000"), nullptr);
  EXPECT_EQ(find_device(""), nullptr);
  for (const int capability : {0, -1, 70, 75, 87, 110, 121, 1000}) {
    EXPECT_FALSE(class_of(capability, 10)) << capability;
    const DeviceClass unknown = unknown_class(capability, 10);
    EXPECT_FALSE(unknown.async_image);
    EXPECT_EQ(unknown.shared_cap, 101376);
  }
}

// PLN-6: the override runs the portable image on a class that is not known, and only that one.
TEST(DeviceClass, TheOverrideRunsThePortableImage) {
  Request request = good_request();
  const DeviceClass unknown = unknown_class(121, 48);
  auto made = make_plan_of(samples::family, request, unknown);
  EXPECT_EQ(std::get<Refusal>(made).check, Check::pln6_device_class);
  request.wish.override_device_class = true;
  made = make_plan_of(samples::family, request, unknown);
  ASSERT_TRUE(std::holds_alternative<Plan>(made));
  EXPECT_EQ(samples::family[std::get<Plan>(made).kernel].image, device::Image::portable);
  request.wish.kernel = "slices";
  made = make_plan_of(samples::family, request, unknown);
  EXPECT_EQ(std::get<Refusal>(made).check, Check::pln6_image);
}

std::string chosen(const Request& request, const char* device = "h100") {
  const auto made = make_plan_of(samples::family, request, *find_device(device));
  const auto* plan = std::get_if<Plan>(&made);
  return plan != nullptr ? std::string(samples::family[plan->kernel].name)
                         : std::string(to_string(std::get<Refusal>(made).check));
}

TEST(Choice, ShortGroupsTakeWholeRowsAndLongOnesSlices) {
  Request request = good_request();
  EXPECT_EQ(chosen(request), "rows_wide");  // 64 * 2 positions on 1000 slots
  request.bank = tensor(place(0), ElementType::bf16, {16, 256});
  EXPECT_EQ(chosen(request), "two_full");  // 8 members a group or more
  EXPECT_EQ(chosen(request, "a100"), "slices_portable");
  request.bank = tensor(place(0), ElementType::bf16, {16, 300});
  request.delta_v = tensor(place(1), ElementType::f32, {96, 300});
  EXPECT_EQ(chosen(request), "rows");  // no other member walks this tail
}

TEST(Choice, FewLongTilesTakeSlices) {
  Request request = good_request();
  request.records = tensor(place(2), ElementType::i32, {6, 4096, 4});
  request.bank = tensor(place(0), ElementType::bf16, {131072, 256});
  EXPECT_EQ(chosen(request), "two_full");  // 48 tiles of 170 positions
  request.bank = tensor(place(0), ElementType::bf16, {131072, 128});
  request.delta_v = tensor(place(1), ElementType::f32, {96, 128});
  EXPECT_EQ(chosen(request), "rows_wide");  // one slice is the row
}

// QNT-10 by whole rows; TIL-3 keeps the cluster form for what it surely holds.
TEST(Choice, QuantizedRows) {
  EXPECT_EQ(chosen(good_request(SnapshotForm::fp8)), "rows_fp8");
  EXPECT_EQ(chosen(good_request(SnapshotForm::fp8, ElementType::bf16, 300)), "rows_fp8");
  EXPECT_EQ(chosen(good_request(SnapshotForm::fp8, ElementType::bf16, 20000)), "rows_fp8");
  Request request = good_request(SnapshotForm::fp8);
  // Groups of 40 members or more on average.
  request.bank = tensor(place(0), ElementType::bf16, {2, 256});
  EXPECT_EQ(chosen(request), "cluster_fp8");
  request.records = tensor(place(2), ElementType::i32, {6, 2048, 4});
  request.payload = tensor(place(6), ElementType::u8, {6 * 2048, 256});
  request.scale = tensor(place(7), ElementType::f32, {6 * 2048});
  EXPECT_EQ(chosen(request), "all_fp8");
  request = good_request(SnapshotForm::fp8, ElementType::bf16, 128);
  request.bank = tensor(place(0), ElementType::bf16, {2, 128});
  EXPECT_EQ(chosen(request), "walk_fp8");
}

TEST(Choice, AWishPicksTheMember) {
  Request request = good_request();
  request.wish.slices_per_warp = 1;
  EXPECT_EQ(chosen(request), "slices_32");
  request.wish.offset_bits = 64;
  EXPECT_EQ(chosen(request), "slices");
  request.wish.portable = 1;
  EXPECT_EQ(chosen(request), "slices_portable");
  request.wish.source = device::BaseSource::batch_prefetch;
  EXPECT_EQ(chosen(request), "slices_prefetch");
  request = good_request();
  request.wish.source = device::BaseSource::dense_rows;
  request.snapshot = tensor(place(5), ElementType::bf16, {128, 256});
  EXPECT_EQ(chosen(request), "slices_dense");
  request.wish.source.reset();
  request.wish.kernel = "slices_dense";
  EXPECT_EQ(chosen(request), "slices_dense");
}

// BIG-1: 32-bit offsets only where every byte of the bank is below 2^32.
TEST(Choice, ThirtyTwoBitOffsetsEndAtFourGiB) {
  Request request = good_request();
  request.wish.kernel = "slices_32";
  request.bank = tensor(place(0), ElementType::bf16, {std::int64_t{1} << 23U, 256});
  EXPECT_EQ(chosen(request), "slices_32");
  request.bank.shape[0] += 1;
  EXPECT_EQ(chosen(request), "geo8_form");
  request.wish.kernel.reset();
  request.wish.slices_per_warp = 1;
  EXPECT_EQ(chosen(request), "slices");
  request.wish.source = device::BaseSource::batch_prefetch;
  EXPECT_EQ(chosen(request), "geo8_form");
}

// What a plan says and what the kernels say of a head is one thing, but for a cluster's size, which
// PLN-6 names.
TEST(Choice, PlansAndKernelsAgreeOnHeads) {
  for (const auto& family : {Family(samples::family), Family(device::kernel_family)}) {
    for (const device::KernelTraits& kernel : family) {
      for (std::int64_t head_dim = 1; head_dim <= 2048; ++head_dim) {
        Sizes sizes{kernel.bank,
                    kernel.snapshot,
                    make_head(head_dim, kernel.bank),
                    64,
                    6,
                    64,
                    2,
                    16,
                    8,
                    3,
                    96,
                    true};
        const bool served = !why_not_serving(kernel, sizes);
        const bool kernels_say = device::serves_head(kernel, static_cast<int>(head_dim),
                                                     static_cast<int>(sizes.head.slices),
                                                     static_cast<int>(sizes.head.slice_width));
        if (kernel.quantizing == device::Quantizing::none) {
          EXPECT_EQ(served, kernels_say) << kernel.name << " at " << head_dim;
        } else if (served && sizes.head.slices <= 16) {
          EXPECT_TRUE(kernels_say) << kernel.name << " at " << head_dim;
        }
      }
    }
  }
}

ProblemShape shape_of(std::int64_t head_dim, std::int64_t streams, std::int64_t slots,
                      SnapshotForm form = SnapshotForm::none) {
  ProblemShape shape;
  shape.snapshot = form;
  shape.slots = slots;
  shape.head_dim = head_dim;
  shape.num_chunks = 4 * streams;
  shape.positions = 4096;
  shape.num_parallel = streams;
  shape.chunk_size = 64;
  return shape;
}

// A tiling and the plan that follows from it name the same member, on every device.
TEST(Tiling, PlansTakeTheMemberThatTheTilingNamed) {
  for (const DeviceClass& device : known_devices()) {
    for (const std::int64_t head_dim : {64, 128, 300, 1024, 4096}) {
      for (const std::int64_t streams : {1, 2, 8, 64}) {
        for (const std::int64_t slots : {512, 1 << 19}) {
          for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::fp8}) {
            ProblemShape shape = shape_of(head_dim, streams, slots, form);
            const auto made = choose_tiling_of(samples::family, shape, device, {});
            ASSERT_TRUE(std::holds_alternative<Tiling>(made)) << std::get<Refusal>(made).message;
            const Tiling& tiling = std::get<Tiling>(made);
            Request request = good_request(form, ElementType::bf16, head_dim);
            const std::int64_t chunks = shape.num_chunks;
            const std::int64_t tiles = tiling.warps_per_block * tiling.blocks_per_chunk;
            request.bank = tensor(place(0), ElementType::bf16, {slots, head_dim});
            request.delta_v = tensor(place(1), ElementType::f32, {chunks * 64, head_dim});
            request.records = tensor(place(2), ElementType::i32, {chunks, 4096, 4});
            request.tile_bounds = tensor(place(3), ElementType::i32, {chunks, tiles + 1});
            request.group_prefix = tensor(place(4), ElementType::i32, {chunks, tiles + 1});
            if (form == SnapshotForm::fp8) {
              request.payload = tensor(place(6), ElementType::u8, {chunks * 4096, head_dim});
              request.scale = tensor(place(7), ElementType::f32, {chunks * 4096});
              request.snapshot_step = streams;
            }
            request.num_parallel = streams;
            request.chunk_size = 64;
            request.delta_v_step_rows = streams * 64;
            request.warps_per_block = tiling.warps_per_block;
            request.blocks_per_chunk = tiling.blocks_per_chunk;
            const auto planned = make_plan_of(samples::family, request, device);
            ASSERT_TRUE(std::holds_alternative<Plan>(planned))
                << std::get<Refusal>(planned).message;
            EXPECT_EQ(std::get<Plan>(planned).kernel, tiling.kernel)
                << device.name << " hd " << head_dim << " P " << streams << ": " << tiling.why;
          }
        }
      }
    }
  }
}

// GEO-5's figures for the published flagship and its collisions, on 132 SMs.
TEST(Tiling, SlicedPolicyGivesThePublishedFigures) {
  GeometryWish two;
  two.slices_per_warp = 2;
  const auto tiling_of = [&](std::int64_t streams, std::int64_t positions) {
    ProblemShape shape = shape_of(1024, streams, 65536 * streams);
    shape.positions = positions;
    return std::get<Tiling>(choose_tiling_of(samples::family, shape, *find_device("h200"), two));
  };
  EXPECT_EQ(tiling_of(8, 4096).blocks_per_chunk, 8);
  EXPECT_EQ(tiling_of(32, 4096).blocks_per_chunk, 8);
  EXPECT_EQ(tiling_of(2, 16384).blocks_per_chunk, 33);
  EXPECT_EQ(tiling_of(8, 4096).warps_per_block, 8);
}

// Groups of 8 members or more on average; slices that quantize read every bank row twice.
TEST(Tiling, QuantizedRowsStayWholeForLongerGroups) {
  const auto form_of = [](SnapshotForm form, std::int64_t slots) {
    ProblemShape shape = shape_of(1024, 4, slots);
    shape.positions = 4096;
    shape.snapshot = form;
    const auto tiling = choose_tiling(shape, *find_device("h200"), {});
    return device::kernel_family[std::get<Tiling>(tiling).kernel].form;
  };
  EXPECT_EQ(form_of(SnapshotForm::none, 2048), device::Form::two_slices);
  EXPECT_EQ(form_of(SnapshotForm::raw, 2048), device::Form::two_slices);
  EXPECT_EQ(form_of(SnapshotForm::fp8, 2048), device::Form::rows);
  EXPECT_EQ(form_of(SnapshotForm::int4, 1024), device::Form::rows);
  EXPECT_EQ(form_of(SnapshotForm::fp8, 512), device::Form::rows);
  EXPECT_EQ(form_of(SnapshotForm::fp8, 256), device::Form::two_slices);
}

// 132 SMs hold 16 rows of 1024 columns each: a tile for each, of 2 to 16 positions. Where there are
// more than three times as many positions, tiles with snapshot rows are shorter.
TEST(Tiling, WholeRowsHaveATileForEachRowThatIsHeld) {
  const auto positions_of_a_tile = [](SnapshotForm form, std::int64_t streams) {
    ProblemShape shape = shape_of(1024, streams, 65536 * streams);
    shape.positions = 4096;
    shape.snapshot = form;
    const auto tiling = std::get<Tiling>(choose_tiling(shape, *find_device("h200"), {}));
    EXPECT_EQ(device::kernel_family[tiling.kernel].form, device::Form::rows);
    return 4096 / (tiling.blocks_per_chunk * tiling.warps_per_block);
  };
  for (const auto form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::fp8}) {
    EXPECT_EQ(positions_of_a_tile(form, 1), 2);
    EXPECT_EQ(positions_of_a_tile(form, 2), 4);
    EXPECT_EQ(positions_of_a_tile(form, 4), 8);
    EXPECT_EQ(positions_of_a_tile(form, 8), 16);
    EXPECT_EQ(positions_of_a_tile(form, 16), 16);
  }
  EXPECT_EQ(positions_of_a_tile(SnapshotForm::none, 32), 16);
  EXPECT_EQ(positions_of_a_tile(SnapshotForm::fp8, 32), 8);
  EXPECT_EQ(positions_of_a_tile(SnapshotForm::raw, 32), 4);
}

// Few positions and many, narrow rows and wide ones, on every device that is known by name.
TEST(Tiling, EveryShapeIsCut) {
  std::size_t cut = 0;
  for (const DeviceClass& device : known_devices()) {
    for (const auto bank : {BankType::bf16, BankType::f32}) {
      for (const auto form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                              SnapshotForm::fp8, SnapshotForm::int4}) {
        if (form == SnapshotForm::bf16 && bank == BankType::bf16) continue;
        for (const std::int64_t head_dim : {64, 130, 256, 480, 1000, 1024, 2048}) {
          for (const std::int64_t streams : {1, 8, 32, 512}) {
            ProblemShape shape = shape_of(head_dim, streams, 65536 * streams);
            shape.bank_type = bank;
            shape.snapshot = form;
            shape.positions = 4096;
            const auto tiling = choose_tiling(shape, device, {});
            ASSERT_TRUE(std::holds_alternative<Tiling>(tiling)) << device.name << head_dim;
            const Tiling& made = std::get<Tiling>(tiling);
            const std::int64_t length = 4096 / (made.blocks_per_chunk * made.warps_per_block);
            EXPECT_GE(length, 2) << device.name << head_dim;
            EXPECT_LE(length, 512) << device.name << head_dim;
            ++cut;
          }
        }
      }
    }
  }
  EXPECT_EQ(cut, known_devices().size() * 9 * 7 * 4);
}

TEST(Tiling, SizesOutOfRangeAreRefused) {
  const DeviceClass& device = *find_device("h100");
  ProblemShape shape = shape_of(64, 2, 512);
  shape.head_dim = 0;
  EXPECT_EQ(std::get<Refusal>(choose_tiling(shape, device)).check, Check::pln1_head_dim);
  shape.head_dim = 64;
  shape.num_parallel = 0;
  EXPECT_EQ(std::get<Refusal>(choose_tiling(shape, device)).check, Check::pln1_num_parallel);
  shape.num_parallel = 2;
  shape.chunk_size = 300;
  EXPECT_EQ(std::get<Refusal>(choose_tiling(shape, device)).check, Check::pln1_chunk_size);
}

TEST(Capability, EveryMemberAnswersWithAReason) {
  ProblemShape shape = shape_of(64, 2, 512);
  shape.warps_per_block = 8;
  shape.blocks_per_chunk = 2;
  const auto made = query_members(shape, *find_device("h100"));
  const auto& members = std::get<std::vector<MemberSupport>>(made);
  ASSERT_EQ(members.size(), device::kernel_count);
  for (const MemberSupport& member : members) {
    EXPECT_EQ(member.supported, member.reason.empty());
    if (device::kernel_family[member.kernel].bank == BankType::f32) {
      EXPECT_FALSE(member.supported);
    }
  }
  EXPECT_FALSE(query(Capability::tail, shape, *find_device("h100")).supported);
  EXPECT_FALSE(query(Capability::bf16_rows, shape, *find_device("h100")).supported);
}

TEST(Counters, CountEveryPlanFromEveryThread) {
  reset_plans_made();
  const Request request = good_request(SnapshotForm::none, ElementType::bf16, 64);
  const auto probe = make_plan(request, *find_device("h100"));
  ASSERT_TRUE(std::holds_alternative<Plan>(probe)) << std::get<Refusal>(probe).message;
  const std::size_t kernel = std::get<Plan>(probe).kernel;
  const auto work = [&] {
    for (int i = 0; i < 500; ++i) {
      make_plan(request, *find_device("h100"));
    }
  };
  std::thread one(work);
  std::thread two(work);
  one.join();
  two.join();
  EXPECT_EQ(plans_made()[kernel], 1001U);
  Request refused = request;
  refused.chunk_size = 0;
  make_plan(refused, *find_device("h100"));
  EXPECT_EQ(plans_made()[kernel], 1001U);
}

}  // namespace
}  // namespace chainwalk::plan
