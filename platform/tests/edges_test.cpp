// SPDX-License-Identifier: Apache-2.0
// Edges of instrumented code: each way through it is another set of them, and the same every time.
// The test has the option's code whether or not the build has the option.
#include "chainwalk/platform/edges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include "branching.h"

namespace chainwalk::platform {
namespace {

using Edges = std::vector<std::uint32_t>;

Edges edges_of(int way, int rounds) {
  (void)take_edges();
  (void)branching(way, rounds);
  return take_edges();
}

bool has_all(const Edges& edges, const Edges& others) {
  return std::includes(edges.begin(), edges.end(), others.begin(), others.end());
}

TEST(Edges, AreRecorded) {
  EXPECT_TRUE(edges_are_recorded());
  EXPECT_FALSE(edges_of(1, 1).empty());
  EXPECT_TRUE(take_edges().empty());
}

TEST(Edges, AreTheSameEveryTimeAndOnEveryThread) {
  const Edges once = edges_of(1, 3);
  EXPECT_EQ(edges_of(1, 3), once);
  EXPECT_EQ(edges_of(1, 300), once);  // how often does not matter
  std::thread([] { (void)branching(1, 3); }).join();
  EXPECT_EQ(take_edges(), once);
}

TEST(Edges, TellTheWaysThroughAFunctionApart) {
  const Edges none = edges_of(1, 0);
  const Edges first = edges_of(1, 2);
  const Edges second = edges_of(2, 2);
  const Edges third = edges_of(3, 2);
  EXPECT_LT(none.size(), first.size());
  EXPECT_TRUE(has_all(first, none));
  EXPECT_NE(first, second);
  EXPECT_NE(first, third);
  EXPECT_NE(second, third);
  EXPECT_FALSE(has_all(first, second));
  EXPECT_FALSE(has_all(second, first));
}

}  // namespace
}  // namespace chainwalk::platform
