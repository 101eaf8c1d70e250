// SPDX-License-Identifier: Apache-2.0
// Nesting of JSON text: strings and their escapes hold no brackets that count.
#include <gtest/gtest.h>

#include <string>

#include "chainwalk/platform/json_nesting.h"

namespace chainwalk::platform {
namespace {

TEST(JsonNesting, CountsOpenBrackets) {
  EXPECT_EQ(json_nesting(""), 0U);
  EXPECT_EQ(json_nesting("7"), 0U);
  EXPECT_EQ(json_nesting("[]"), 1U);
  EXPECT_EQ(json_nesting("[[], [], {}]"), 2U);
  EXPECT_EQ(json_nesting(R"({"a": [{"b": 1}], "c": {}})"), 3U);
  EXPECT_EQ(json_nesting(std::string(100000, '[')), 100000U);
}

TEST(JsonNesting, StringsDoNotCount) {
  EXPECT_EQ(json_nesting(R"(["[[[{{{"])"), 1U);
  EXPECT_EQ(json_nesting(R"(["\"[", []])"), 2U);
  EXPECT_EQ(json_nesting(R"(["\\", [[]]])"), 3U);
  EXPECT_EQ(json_nesting("[\"\\"), 1U);
}

TEST(JsonNesting, TextThatIsNoJson) {
  EXPECT_EQ(json_nesting("]]]["), 1U);
  EXPECT_EQ(json_nesting("\"[["), 0U);
}

TEST(JsonNesting, Limit) {
  EXPECT_FALSE(nests_too_deep(std::string(json_nesting_max, '[')));
  EXPECT_TRUE(nests_too_deep(std::string(json_nesting_max + 1, '[')));
}

}  // namespace
}  // namespace chainwalk::platform
