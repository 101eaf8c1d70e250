// SPDX-License-Identifier: Apache-2.0
// What primitives give, whatever the schedule.
#include <bit>

#include "bench.h"

namespace chainwalk::emulator::tests {
namespace {

std::vector<Schedule> some_schedules() {
  std::vector<Schedule> all{Schedule{}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    all.push_back(random_schedule(seed));
    all.push_back(pct_schedule(seed));
  }
  return all;
}

template <typename Check>
void under_every_schedule(Micro micro, const Check& check) {
  for (const Schedule& schedule : some_schedules()) {
    for (const bool checked : {false, true}) {
      micro.schedule = schedule;
      micro.checked = checked;
      const MicroResult result = run_micro(micro);
      ASSERT_TRUE(result.clean()) << result.text();
      check(result);
    }
  }
}

TEST(Warp, VotesAndShufflesGiveWhatTheirLanesBring) {
  under_every_schedule({.name = "warp_values"}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      const std::uint32_t lane = thread % 32;
      EXPECT_EQ(result.out[thread * 4], 0xAAAA'AAAAU);
      EXPECT_EQ(result.out[thread * 4 + 1], (lane + 1) % 32 * 10);
      EXPECT_EQ(result.out[thread * 4 + 2],
                std::bit_cast<std::uint32_t>(static_cast<float>(lane ^ 5U)));
      // Every third lane from 0, each half for itself.
      EXPECT_EQ(result.out[thread * 4 + 3], 0x4924'9249U & (lane < 16 ? 0xFFFFU : 0xFFFF'0000U));
    }
  });
}

TEST(Warp, HalvesMayMeetWhileTheWholeWaits) {
  under_every_schedule({.name = "warp_nested"}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      EXPECT_EQ(result.out[thread], thread % 32 < 16 ? 2 * 0xAAAAU : 0xAAAAU);
    }
  });
}

TEST(Warp, WaitsOnlyForLanesThatHaveNotExited) {
  under_every_schedule({.name = "warp_exits", .number = 20}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      EXPECT_EQ(result.out[thread], thread % 32 <= 20 ? 0U : thread + 1);
    }
  });
}

TEST(Block, BarrierJoinsWarps) {
  for (const char* name : {"block_handover", "block_reuse"}) {
    under_every_schedule({.name = name, .threads = 128}, [&](const MicroResult& result) {
      for (std::uint32_t thread = 0; thread < 128; ++thread) {
        const std::uint32_t next = (thread + 32) % 128;
        EXPECT_EQ(result.out[thread],
                  std::string(name) == "block_handover" ? next * 7 : 3 + 3 * ((next + 32) % 128));
      }
    });
  }
}

TEST(Block, BarrierWaitsOnlyForThreadsThatHaveNotExited) {
  under_every_schedule({.name = "block_exits", .threads = 128}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      EXPECT_EQ(result.out[thread], thread < 64 ? 5U : thread + 1);
    }
  });
}

TEST(AsyncCopy, GroupsFinishInOrderAndShortSourcesFillWithZeros) {
  for (const int bytes : {0, 4, 8, 12, 16}) {
    under_every_schedule({.name = "async_groups", .number = bytes}, [&](const MicroResult& result) {
      for (std::uint32_t thread = 0; thread < 128; ++thread) {
        const std::uint32_t base = thread * 8;
        const std::uint32_t x = bytes >= 4 ? result.in[base + 4] : 0;
        const std::uint32_t w = bytes >= 16 ? result.in[base + 7] : 0;
        EXPECT_EQ(result.out[thread], result.in[base] + x + w);
      }
    });
  }
}

TEST(BulkCopy, LandsWholeBeforeItsPhaseEnds) {
  under_every_schedule({.name = "bulk_once"}, [](const MicroResult& result) {
    for (std::uint32_t block = 0; block < 2; ++block) {
      std::uint32_t total = 0;
      for (std::uint32_t lane = 0; lane < 32; ++lane) total += result.snapshot[block * 64 + lane];
      std::uint32_t expected = 0;
      for (std::uint32_t word = 0; word < 256; ++word) expected += 1 + block * 256 + word;
      EXPECT_EQ(total, expected);
    }
  });
}

TEST(BulkCopy, RefillsABufferPhaseByPhase) {
  under_every_schedule({.name = "bulk_reuse"}, [](const MicroResult& result) {
    std::uint32_t expected = 0;
    for (std::uint32_t round = 0; round < 4; ++round) {
      for (std::uint32_t word = 5; word < 256; word += 32) {
        expected += result.in[round * 256 + word];
      }
    }
    EXPECT_EQ(result.out[5], expected);
  });
}

TEST(TensorCopy, FillsWhatIsOutOfBoundsWithZeros) {
  for (const int rows : {1, 2, 3, 8, 12}) {
    under_every_schedule(
        {.name = "tensor_box", .number = rows, .blocks = 1}, [&](const MicroResult& result) {
          for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < 32; ++column) {
              const int from_row = row - 2, from_column = column - 4;
              const bool exists = from_row >= 0 && from_row < 6 && from_column >= 0;
              EXPECT_EQ(
                  result.out[static_cast<std::size_t>(row * 32 + column)],
                  exists ? result.in[static_cast<std::size_t>(from_row * 40 + from_column)] : 0U);
            }
          }
        });
  }
}

TEST(Barrier, PhasesEndWhenEveryWarpHasArrived) {
  under_every_schedule({.name = "barrier_handover", .threads = 256}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 256; ++thread) {
      EXPECT_EQ(result.out[thread], (thread + 33) % 256);
    }
  });
  under_every_schedule({.name = "barrier_life"},
                       [](const MicroResult& result) { EXPECT_EQ(result.out[1], 1U); });
}

TEST(Cluster, PeersReadEachOthersSharedMemory) {
  under_every_schedule({.name = "peers", .blocks = 8, .cluster = 4}, [](const MicroResult& result) {
    for (std::uint32_t thread = 0; thread < 8 * 64; ++thread) {
      const auto expected = static_cast<float>(600 + 4 * (thread % 64));
      EXPECT_EQ(result.out[thread], std::bit_cast<std::uint32_t>(expected));
    }
  });
}

TEST(DependentLaunch, SeesTheLaunchAhead) {
  under_every_schedule({.name = "dependent_double", .blocks = 4, .dependent = true, .launches = 3},
                       [](const MicroResult& result) {
                         for (std::uint32_t word = 0; word < 256; ++word) {
                           EXPECT_EQ(result.out[word], (word + 1) * 8);
                         }
                       });
}

}  // namespace
}  // namespace chainwalk::emulator::tests
