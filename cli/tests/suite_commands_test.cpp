// SPDX-License-Identifier: Apache-2.0
// compare and mutants from outside.
#include <set>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class SuiteCommands : public CommandLine {
 protected:
  // A report of the quick cases on `on`, in the folder `name`.
  Json report(const std::string& name, const std::string& on = "reference") {
    const CommandResult result = chainwalk("conform --on " + on + " --jobs 1 --report " + name);
    EXPECT_LE(result.status, 1) << result.err;
    return Json::parse(read_text(path(name) / "report.json"));
  }
};

TEST_F(SuiteCommands, CompareSeesVerdictsBitsAndMissingCases) {
  Json first = report("a");
  EXPECT_EQ(chainwalk("compare a/report.json a/report.json").status, 0);

  Json second = first;
  second["cases"][0]["verdict"] = "fail";
  second["cases"][1]["output_hash"] = 12345;
  second["cases"].erase(2);
  second["run"]["seed"] = 77;
  write_text(path("b.json"), second.dump());
  const CommandResult text = chainwalk("compare a/report.json b.json");
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("seed: 1 -> 77"), std::string::npos) << text.out;
  const CommandResult json = chainwalk("compare a/report.json b.json --json");
  EXPECT_EQ(json.status, 1);
  const Json told = Json::parse(json.out);
  const auto id = [&](std::size_t index) {
    return first["cases"][index]["case"].get<std::string>();
  };
  ASSERT_EQ(told.at("verdicts").size(), 1U);
  EXPECT_EQ(told["verdicts"][0], id(0) + ": pass -> fail");
  ASSERT_EQ(told.at("bits").size(), 1U);
  EXPECT_EQ(told["bits"][0].get<std::string>().rfind(id(1), 0), 0U);
  ASSERT_EQ(told.at("missing").size(), 1U);
  EXPECT_EQ(told["missing"][0], id(2) + ": only in the first");
  EXPECT_EQ(told.at("same"), false);
}

TEST_F(SuiteCommands, CompareRefusesWhatIsNoReport) {
  Json whole = report("a");
  write_text(path("text.json"), "no report");
  write_text(path("other.json"), "{}");
  write_text(path("cut.json"), whole.dump().substr(0, 1000));
  Json newer = whole;
  newer["version"] = 99;
  write_text(path("newer.json"), newer.dump());
  Json none = whole;
  none["cases"] = Json::array();
  write_text(path("none.json"), none.dump());
  for (const std::string name : {"text.json", "other.json", "cut.json", "newer.json", "no.json"}) {
    expect_refused(chainwalk("compare a/report.json " + name), name);
    expect_refused(chainwalk("compare " + name + " a/report.json"), name);
  }
  expect_refused(chainwalk("compare a/report.json none.json"), "no case in common");
}

TEST_F(SuiteCommands, FailFastStartsNothingAfterTheFirstFailure) {
  const CommandResult result =
      chainwalk("conform --on wrong:rule=no-restart --jobs 1 --fail-fast --report a");
  EXPECT_EQ(result.status, 1);
  const Json cases = Json::parse(read_text(path("a") / "report.json")).at("cases");
  EXPECT_EQ(cases[0].at("verdict"), "fail");
  EXPECT_EQ(cases[1].at("verdict"), "not_run");
  EXPECT_EQ(cases[1].at("text"), "an earlier case did not pass");
}

TEST_F(SuiteCommands, ATimeBudgetLeavesTheRestToAResumedRun) {
  const std::string run = "conform --on reference --shard 0/8 --jobs 1 --report a ";
  EXPECT_EQ(chainwalk(run + "--time-budget 1e-9").status, 1);
  const Json first = Json::parse(read_text(path("a") / "report.json"));
  EXPECT_EQ(first.at("conforms"), false);
  for (const Json& one : first.at("cases")) {
    EXPECT_EQ(one.at("verdict"), "not_run");
    EXPECT_EQ(one.at("text"), "the time budget was spent");
  }
  EXPECT_EQ(chainwalk(run + "--resume").status, 0);
  const Json second = Json::parse(read_text(path("a") / "report.json"));
  EXPECT_EQ(second.at("counts").at("pass"), second.at("cases").size());
}

TEST_F(SuiteCommands, CasesThatNeedMoreMemoryThanAllowedDoNotRun) {
  EXPECT_EQ(chainwalk("conform --on reference --max-memory 1 --report a").status, 1);
  std::set<std::string> verdicts;
  const Json whole = Json::parse(read_text(path("a") / "report.json"));
  for (const Json& one : whole.at("cases")) {
    verdicts.insert(one.at("verdict"));
    if (one.at("verdict") == "not_run") {
      EXPECT_NE(one.at("text").get<std::string>().find("MiB; --max-memory is 1"), std::string::npos)
          << one.at("text");
    }
  }
  EXPECT_EQ(verdicts, (std::set<std::string>{"pass", "not_run"}));
  EXPECT_EQ(chainwalk("conform --on reference --max-memory 100000 --report b").status, 0);
}

TEST_F(SuiteCommands, HelpNamesEveryBound) {
  const CommandResult help = chainwalk("conform --help");
  EXPECT_EQ(help.status, 0);
  for (const char* option : {"--time-budget", "--max-memory", "--worker-memory", "--case-seconds",
                             "--jobs", "--shard", "--resume"})
    EXPECT_NE(help.out.find(option), std::string::npos) << option;
}

TEST_F(SuiteCommands, MutantsRefusesAMissingLibrary) {
  expect_refused(chainwalk("mutants --misbehaving ./no.so"), "no.so");
}

}  // namespace
}  // namespace chainwalk::cli
