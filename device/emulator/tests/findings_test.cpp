// SPDX-License-Identifier: Apache-2.0
// Every detector in pairs: silent on the right micro-kernel under many schedules, and heard, with
// its own name, on the same one with the fault planted.
#include <algorithm>
#include <ostream>
#include <set>

#include "bench.h"

namespace chainwalk::emulator::tests {
namespace {

struct Pair {
  Micro micro;                  // without the fault
  int fault_number;             // which fault; 0: as `micro.number`
  std::set<std::string> kinds;  // what may be found
  bool only_checked;            // a plain run cannot see it
  int at_least = 12;            // of the 12 schedules that must find it
};

// What GoogleTest shows of a case: else it is the bytes of its pointers, others in each run.
void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.micro.name; }

std::vector<Schedule> schedules() {
  std::vector<Schedule> all{Schedule{}};
  for (std::uint64_t seed = 1; seed <= 7; ++seed) all.push_back(random_schedule(seed));
  for (std::uint64_t seed = 1; seed <= 4; ++seed) all.push_back(pct_schedule(seed));
  return all;
}

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all{
      {{.name = "warp_masks"}, 0, {"warp-mask-mismatch"}, false},
      {{.name = "warp_operations"}, 0, {"warp-operation-mismatch"}, false},
      {{.name = "warp_outside"}, 0, {"lane-outside-mask"}, false},
      {{.name = "warp_exits", .number = 20}, 20, {"shuffle-inactive-source"}, false},
      {{.name = "warp_deadlock"}, 0, {"deadlock"}, false},
      {{.name = "warp_handover"}, 0, {"shared-race", "uninitialized-shared"}, true},
      {{.name = "warp_vote_handover"}, 0, {"shared-race"}, true},
      {{.name = "warp_half_handover"}, 0, {"shared-race", "uninitialized-shared"}, true},
      {{.name = "block_handover", .threads = 128},
       0,
       {"shared-race", "uninitialized-shared"},
       true},
      {{.name = "block_reuse", .threads = 128}, 0, {"shared-race"}, true},
      {{.name = "block_unwritten"}, 0, {"uninitialized-shared"}, true},
      {{.name = "block_past_end", .shared = 256}, 0, {"out-of-bounds"}, true},
      {{.name = "block_alignment"}, 0, {"misaligned"}, true},
      {{.name = "async_groups", .number = 16}, 16, {"copy-pending"}, true},
      {{.name = "async_other_thread"},
       0,
       {"shared-race", "uninitialized-shared", "copy-pending"},
       true},
      {{.name = "async_exit"}, 0, {"copy-in-flight"}, false},
      {{.name = "async_overwrite"}, 0, {"copy-pending"}, true},
      {{.name = "bulk_once"}, 1, {"copy-pending", "uninitialized-shared"}, true},
      {{.name = "bulk_once"}, 2, {"copy-pending", "uninitialized-shared"}, true},
      {{.name = "bulk_once"}, 3, {"transaction-bytes", "copy-pending"}, false},
      {{.name = "bulk_once"}, 4, {"deadlock"}, false},
      {{.name = "bulk_once"}, 5, {"barrier-init-not-fenced"}, false},
      {{.name = "bulk_once"}, 6, {"barrier-not-initialized"}, false},
      {{.name = "bulk_once"}, 7, {"copy-source-changed"}, true, 8},
      {{.name = "bulk_once"}, 8, {"copy-pending"}, true},
      {{.name = "bulk_reuse"}, 1, {"missing-proxy-fence"}, true},
      {{.name = "bulk_reuse"},
       2,
       {"shared-race", "copy-pending", "copy-overlap", "deadlock"},
       true},
      {{.name = "bulk_reuse"}, 3, {"copy-pending", "shared-race", "deadlock"}, true},
      {{.name = "barrier_handover", .threads = 256}, 0, {"shared-race"}, true},
      {{.name = "barrier_life"}, 1, {"barrier-count"}, false},
      {{.name = "barrier_life"}, 2, {"barrier-init-live"}, false},
      {{.name = "barrier_life"}, 3, {"barrier-invalidated-pending"}, false},
      {{.name = "barrier_life"}, 4, {"barrier-touched"}, true},
      {{.name = "barrier_life"}, 5, {"barrier-invalidated"}, false},
      {{.name = "barrier_life"}, 6, {"deadlock"}, false},
      {{.name = "barrier_life"}, 7, {"barrier-parity"}, false},
      {{.name = "barrier_life"}, 8, {"misaligned"}, false},
      {{.name = "tensor_box", .number = 3, .blocks = 1}, 3, {"misaligned"}, false},
      {{.name = "tensor_box", .number = 5, .blocks = 1}, 5, {"misaligned"}, false},
      {{.name = "peers", .blocks = 4, .cluster = 4}, 1, {"peer-not-started"}, false},
      {{.name = "peers", .blocks = 4, .cluster = 4},
       2,
       {"exit-while-peers-read", "peer-exited"},
       false},
      {{.name = "peers", .blocks = 4, .cluster = 4}, 3, {"cluster-barrier-misuse"}, false},
      {{.name = "peers", .blocks = 4, .cluster = 4}, 4, {"cluster-barrier-misuse"}, false},
      {{.name = "peers", .blocks = 4, .cluster = 4}, 5, {"peer-rank"}, false},
      {{.name = "peers", .blocks = 4, .cluster = 4},
       6,
       {"shared-race", "uninitialized-shared"},
       true},
      {{.name = "dependent_double", .dependent = true, .launches = 2},
       0,
       {"access-before-dependent-wait"},
       true},
      {{.name = "global_words", .blocks = 64}, 1, {"out-of-bounds"}, true},
      {{.name = "global_words", .blocks = 64}, 2, {"read-only-write"}, true},
      {{.name = "global_words", .blocks = 64}, 3, {"out-of-bounds"}, true},
      {{.name = "global_words", .blocks = 64}, 4, {"out-of-bounds"}, true},
      {{.name = "global_words", .blocks = 64}, 5, {"misaligned"}, true},
      {{.name = "global_words", .blocks = 64}, 6, {"two-writers"}, true},
      {{.name = "global_words", .blocks = 64}, 7, {"read-of-other-block"}, true},
      {{.name = "global_words", .blocks = 64}, 8, {"two-writers"}, true},
  };
  return all;
}

class Detector : public ::testing::TestWithParam<Pair> {};

TEST_P(Detector, IsSilentOnTheRightKernel) {
  Micro micro = GetParam().micro;
  for (const bool checked : {false, true}) {
    for (const Schedule& schedule : schedules()) {
      micro.checked = checked;
      micro.schedule = schedule;
      const MicroResult result = run_micro(micro);
      EXPECT_TRUE(result.clean()) << result.text();
    }
  }
}

TEST_P(Detector, HearsThePlantedFault) {
  const Pair& pair = GetParam();
  Micro micro = pair.micro;
  micro.fault = 1;
  micro.number = pair.fault_number;
  for (const bool checked : {false, true}) {
    if (pair.only_checked && !checked) continue;
    int heard = 0;
    for (const Schedule& schedule : schedules()) {
      micro.checked = checked;
      micro.schedule = schedule;
      const MicroResult result = run_micro(micro);
      if (result.clean()) continue;
      ++heard;
      const Finding& finding = result.findings.front();
      EXPECT_TRUE(pair.kinds.contains(finding.kind)) << finding.message;
      EXPECT_EQ(finding.kernel, micro.name);
      EXPECT_NE(finding.message.find("--schedule " + to_string(schedule)), std::string::npos)
          << finding.message;
    }
    EXPECT_GE(heard, pair.at_least) << micro.name << " fault " << pair.fault_number;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Detector, ::testing::ValuesIn(pairs()), [](const auto& tested) {
  return tested.param.micro.name + "_" + std::to_string(tested.param.fault_number) + "_" +
         std::to_string(tested.index);
});

TEST(Findings, NameBothPartiesAndThePlace) {
  Micro micro{.name = "block_reuse", .fault = 1, .blocks = 1, .threads = 128, .checked = true};
  const MicroResult result = run_micro(micro);
  ASSERT_FALSE(result.clean());
  const Finding& finding = result.findings.front();
  EXPECT_NE(finding.source.find("block_kernels.h:"), std::string::npos) << finding.message;
  EXPECT_NE(finding.address.find("shared of block 0+"), std::string::npos) << finding.message;
  EXPECT_NE(finding.other_party.find("block_kernels.h:"), std::string::npos) << finding.message;
  EXPECT_NE(finding.other_party.find("warp"), std::string::npos) << finding.message;
}

TEST(Findings, ADeadlockNamesEveryLanesPlace) {
  const MicroResult result = run_micro({.name = "warp_deadlock", .fault = 1, .blocks = 1});
  ASSERT_EQ(result.kind(), "deadlock");
  for (const char* part : {"block 0 warp 0 lanes 0..8: waits for the lanes of its warp",
                           "block 0 warp 0 lanes 9..9: waits at the block barrier",
                           "block 0 warp 0 lanes 10..31: waits for the lanes of its warp",
                           "block 0 warp 1 lanes 9..9: waits at the block barrier"}) {
    EXPECT_NE(result.text().find(part), std::string::npos) << result.text();
  }
}

TEST(Findings, ExpectedBytesThatNeverComeAreNamed) {
  const MicroResult result = run_micro({.name = "bulk_once", .fault = 1, .number = 4, .blocks = 1});
  ASSERT_EQ(result.kind(), "deadlock");
  EXPECT_NE(result.text().find("16 bytes pending"), std::string::npos) << result.text();
}

TEST(Findings, TheReplayLineSaysHowItRan) {
  const MicroResult dependent = run_micro({.name = "dependent_double",
                                           .fault = 1,
                                           .checked = true,
                                           .dependent = true,
                                           .launches = 2,
                                           .schedule = random_schedule(3)});
  ASSERT_FALSE(dependent.clean());
  EXPECT_NE(dependent.text().find("replay: --on emulator:dependent=1 --kernel dependent_double "
                                  "--schedule random:seed=3 --checked"),
            std::string::npos)
      << dependent.text();
  const MicroResult plain = run_micro({.name = "warp_deadlock", .fault = 1, .blocks = 1});
  EXPECT_NE(
      plain.text().find("replay: --on emulator --kernel warp_deadlock --schedule round-robin"),
      std::string::npos)
      << plain.text();
  EXPECT_EQ(plain.text().find("--checked"), std::string::npos);
}

TEST(Launch, IsHeldToTheDeviceClass) {
  const auto refused = [](Micro micro, const std::string& part) {
    try {
      run_micro(micro);
      ADD_FAILURE() << "not refused: " << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  };
  refused({.name = "warp_values", .shared = 101377, .limits = {.shared_cap = 101376}}, "101377");
  refused({.name = "peers", .blocks = 4, .cluster = 4, .limits = {.max_cluster = 2}}, "of 4");
  refused({.name = "peers", .blocks = 2, .cluster = 2, .limits = {.async_image = false}}, "of 2");
  refused({.name = "warp_values", .threads = 40}, "40 threads");
  refused({.name = "warp_values", .threads = 2048}, "2048 threads");
  refused({.name = "peers", .blocks = 5, .cluster = 2}, "5");
  refused({.name = "warp_values", .blocks = 0}, "0");
  refused({.name = "warp_values", .dependent = true, .limits = {.async_image = false}},
          "dependent");
}

TEST(Launch, ADeviceClassWithoutTheAsyncImageRefusesItsOperations) {
  for (const char* name : {"bulk_once", "barrier_life", "peers", "dependent_double"}) {
    const MicroResult result =
        run_micro({.name = name, .blocks = 1, .limits = {.async_image = false}});
    EXPECT_EQ(result.kind(), "unsupported-operation") << name;
  }
}

TEST(TensorMap, IsHeldToTheHardwaresLimits) {
  alignas(16) static unsigned char bytes[4096];
  const TensorGeometry right{.base = bytes,
                             .columns = 38,
                             .rows = 6,
                             .row_stride = 160,
                             .box_columns = 32,
                             .box_rows = 8,
                             .element_bytes = 4};
  EXPECT_EQ(refuse_tensor_map(right), "");
  const auto refused = [&](auto change) {
    TensorGeometry wrong = right;
    change(wrong);
    EXPECT_NE(refuse_tensor_map(wrong), "");
    EXPECT_THROW(encode_tensor_map(wrong), std::invalid_argument);
  };
  refused([](TensorGeometry& map) { map.base += 8; });
  refused([](TensorGeometry& map) { map.row_stride = 152; });
  refused([](TensorGeometry& map) { map.box_columns = 257; });
  refused([](TensorGeometry& map) { map.box_columns = 30; });
  refused([](TensorGeometry& map) { map.box_rows = 257; });
  refused([](TensorGeometry& map) { map.box_rows = 0; });
  refused([](TensorGeometry& map) { map.rows = 0; });
  refused([](TensorGeometry& map) { map.element_bytes = 3; });
}

}  // namespace
}  // namespace chainwalk::emulator::tests
