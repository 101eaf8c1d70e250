// SPDX-License-Identifier: Apache-2.0
// parallel_for: every index once, worker ids, exceptions, empty ranges.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/platform/executor.h"

namespace chainwalk::platform {
namespace {

TEST(Executor, EveryIndexOnceForAnyNumberOfThreads) {
  constexpr std::int64_t begin = -7;
  constexpr std::int64_t end = 1000;
  for (const unsigned threads : {0U, 1U, 2U, 3U, 16U}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(end - begin));
    parallel_for(begin, end, threads, [&](std::int64_t index, unsigned) {
      ++calls.at(static_cast<std::size_t>(index - begin));
    });
    for (const auto& count : calls) ASSERT_EQ(count.load(), 1) << threads;
  }
}

TEST(Executor, WorkersAreInRangeAndNeverShared) {
  constexpr unsigned threads = 4;
  std::vector<std::atomic<int>> inside(threads);
  std::atomic<int> shared{0};
  parallel_for(0, 2000, threads, [&](std::int64_t, unsigned worker) {
    ASSERT_LT(worker, threads);
    if (inside[worker].fetch_add(1) != 0) ++shared;
    for (int spin = 0; spin < 100; ++spin) inside[worker].load();
    inside[worker].fetch_sub(1);
  });
  EXPECT_EQ(shared.load(), 0);
}

TEST(Executor, WorkerIdsStayBelowTheNumberOfIndices) {
  parallel_for(0, 2, 64, [](std::int64_t, unsigned worker) { EXPECT_LT(worker, 2U); });
}

TEST(Executor, EmptyAndReversedRangesCallNothing) {
  const auto fail = [](std::int64_t, unsigned) { ADD_FAILURE() << "called"; };
  parallel_for(0, 0, 0, fail);
  parallel_for(5, 5, 3, fail);
  parallel_for(5, -5, 3, fail);
  parallel_for(std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
               2, fail);
}

TEST(Executor, RangesAtTheEndsOfTheType) {
  constexpr auto max = std::numeric_limits<std::int64_t>::max();
  constexpr auto min = std::numeric_limits<std::int64_t>::min();
  for (const unsigned threads : {1U, 2U}) {
    std::atomic<int> calls{0};
    parallel_for(max - 3, max, threads, [&](std::int64_t index, unsigned) {
      EXPECT_GE(index, max - 3);
      ++calls;
    });
    parallel_for(min, min + 3, threads, [&](std::int64_t index, unsigned) {
      EXPECT_LT(index, min + 3);
      ++calls;
    });
    EXPECT_EQ(calls.load(), 6);
  }
}

TEST(Executor, AnExceptionIsRethrownAfterRunningBodiesReturned) {
  for (const unsigned threads : {1U, 2U, 4U}) {
    std::atomic<int> running{0};
    try {
      parallel_for(0, 500, threads, [&](std::int64_t index, unsigned) {
        ++running;
        if (index == 17) {
          --running;
          throw std::runtime_error("at 17");
        }
        --running;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(std::string(error.what()), "at 17");
    }
    EXPECT_EQ(running.load(), 0);
  }
}

TEST(Executor, IsUsableAfterAnException) {
  EXPECT_THROW(parallel_for(0, 8, 2, [](std::int64_t, unsigned) { throw 1; }), int);
  std::atomic<int> calls{0};
  parallel_for(0, 8, 2, [&](std::int64_t, unsigned) { ++calls; });
  EXPECT_EQ(calls.load(), 8);
}

TEST(Executor, AvailableThreadsIsAtLeastOne) { EXPECT_GE(available_threads(), 1U); }

}  // namespace
}  // namespace chainwalk::platform
