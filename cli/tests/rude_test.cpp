// SPDX-License-Identifier: Apache-2.0
// Implementations with bad manners towards their host: each case has its verdict, and the program
// and its output stay whole.
#include <gtest/gtest.h>

#include <map>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class Rude : public CommandLine {
 protected:
  // Verdicts of some cases, and how often each.
  std::map<std::string, int> verdicts(const std::string& how, const std::string& options = "") {
    const CommandResult result =
        chainwalk("conform --json --jobs 2 --shard 0/40 --report " + how +
                  " --on " CHAINWALK_PLUGINS "/rude.so:threads=1,rude=" + how + " " + options);
    EXPECT_LE(result.status, 1) << result.err;
    const Json printed = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(printed.is_object()) << "standard output is no JSON: " << result.out.substr(0, 300);
    std::map<std::string, int> found;
    const Json whole = report(how);
    for (const Json& one : whole["cases"]) ++found[one["verdict"]];
    return found;
  }
  bool all_pass(const std::map<std::string, int>& found) const {
    return found.size() == 1 && found.count("pass") == 1;
  }
};

TEST_F(Rude, WhatDoesNoHarmPasses) {
  for (const char* how : {"prints", "changes-folder", "ignores-signals", "forks"})
    EXPECT_TRUE(all_pass(verdicts(how))) << how;
}

TEST_F(Rude, WhatEndsOrSpoilsTheWorkerIsACrashOfThatCase) {
  for (const char* how : {"closes-everything", "throws-number", "exits", "answers"}) {
    const auto found = verdicts(how);
    EXPECT_GT(found.count("crash"), 0U) << how;
    EXPECT_EQ(found.count("hang"), 0U) << how;
    EXPECT_EQ(found.count("not_run"), 0U) << how;
  }
}

TEST_F(Rude, MemoryThatRunsOutIsACrashOfThatCase) {
  // Hoards 64 MiB a step: some cases fit a worker's share, and then one does not.
  const auto found = verdicts("hoards", "--worker-memory 1500");
  EXPECT_GT(found.count("crash"), 0U);
  EXPECT_GT(found.count("pass"), 0U);
  EXPECT_EQ(found.size(), 2U);
}

}  // namespace
}  // namespace chainwalk::cli
