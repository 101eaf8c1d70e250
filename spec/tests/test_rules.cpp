// SPDX-License-Identifier: Apache-2.0
// The compiled-in specification (VER-1, VER-2).
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "chainwalk/spec/rules.h"

namespace chainwalk {
namespace {

TEST(Rules, EachHasIdChapterTitleAndText) {
  std::set<std::string_view> ids;
  for (const Rule& rule : rules()) {
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
    EXPECT_TRUE(rule.id.starts_with(std::string(rule.chapter) + "-")) << rule.id;
    EXPECT_EQ(rule.chapter.size(), 3U) << rule.id;
    EXPECT_FALSE(rule.title.empty()) << rule.id;
    EXPECT_EQ(rule.title.find('\n'), std::string_view::npos);
    EXPECT_FALSE(rule.text.empty()) << rule.id;
    EXPECT_EQ(rule.text.find("\n#"), std::string_view::npos) << rule.id;
  }
  EXPECT_GE(ids.size(), 75U);
}

TEST(Rules, AreInTheOrderOfTheirNumbers) {
  const Rule* before = nullptr;
  for (const Rule& rule : rules()) {
    const auto number = [](const Rule& one) { return std::stoi(std::string(one.id.substr(4))); };
    const bool same_chapter = before != nullptr && before->chapter == rule.chapter;
    EXPECT_EQ(number(rule), same_chapter ? number(*before) + 1 : 1) << rule.id;
    before = &rule;
  }
}

TEST(Rules, AreFoundWhateverTheCase) {
  const Rule* rule = find_rule("ARI-4");
  ASSERT_NE(rule, nullptr);
  EXPECT_EQ(rule->id, "ARI-4");
  EXPECT_EQ(rule->title, "Restart");
  EXPECT_TRUE(rule->text.starts_with("`acc` returns to +0 after every LAST"));
  EXPECT_EQ(find_rule("ari-4"), rule);
  for (const char* unknown : {"", "ARI", "ARI-", "ARI-44", "ARI-4 ", "XYZ-1"}) {  // no such rule
    EXPECT_EQ(find_rule(unknown), nullptr) << unknown;
  }
}

TEST(Rules, WorkedExampleIsNoPartOfTheRuleBeforeIt) {
  EXPECT_EQ(find_rule("ARI-7")->text.find("Worked example"), std::string_view::npos);
}

TEST(Rules, Version) { EXPECT_EQ(specification_version(), "1.0"); }

}  // namespace
}  // namespace chainwalk
