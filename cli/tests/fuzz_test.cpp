// SPDX-License-Identifier: Apache-2.0
// Campaigns from outside: what they find, how small it gets, and that nothing depends on who runs
// which case.
#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class Fuzz : public CommandLine {
 protected:
  static std::string misbehaving(const std::string& fault) {
    return std::string(CHAINWALK_PLUGINS "/misbehaving.so:threads=1,fault=") + fault;
  }

  // What the ledger of a folder says of all cases.
  Json total(const std::string& corpus) const {
    return Json::parse(read_text(path(corpus) / "ledger.json")).at("total");
  }

  // A campaign that finds `key`, which shrinks to at most so many records and groups.
  void expect_found(const std::string& arguments, const std::string& key, int records, int groups) {
    const CommandResult result = chainwalk("fuzz " + arguments + " --corpus c --jobs 1 --json");
    EXPECT_EQ(result.status, 1) << result.err;
    const Json summary = Json::parse(result.out);
    for (const Json& finding : summary.at("findings")) {
      if (finding.at("key") != key) continue;
      EXPECT_LE(finding.at("records"), records) << finding;
      EXPECT_LE(finding.at("groups"), groups) << finding;
      const std::string page = read_text(path(finding.at("page").get<std::string>()));
      EXPECT_EQ(page.rfind(key + ":", 0), 0U) << page;
      EXPECT_LE(std::count(page.begin(), page.end(), '\n'), 60) << page;
      EXPECT_EQ(chainwalk("validate " + finding.at("replay").get<std::string>()).status, 0);
      return;
    }
    ADD_FAILURE() << "no " << key << " in " << result.out;
  }
};

TEST_F(Fuzz, FindsNothingBetweenTheTwoModels) {
  for (const std::string campaign : {"walk", "quantized", "boundaries", "flags", "plans"}) {
    const CommandResult result =
        chainwalk("fuzz --campaign " + campaign + " --cases 300 --jobs 2 --corpus " + campaign);
    EXPECT_EQ(result.status, 0) << result.out << result.err;
    EXPECT_NE(result.out.find("300 cases"), std::string::npos) << result.out;
    EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 10) << result.out;
  }
}

TEST_F(Fuzz, CoversTheSameCasesWhateverTheJobs) {
  const std::string campaign =
      "fuzz --on wrong:rule=snapshot-truncates --campaign boundaries --cases 2200 "
      "--shrink-seconds 0 ";
  EXPECT_EQ(chainwalk(campaign + "--jobs 1 --corpus one").status, 1);
  EXPECT_EQ(chainwalk(campaign + "--jobs 4 --corpus four").status, 1);
  EXPECT_EQ(total("one"), total("four"));
  // Past the end of an epoch: the weights were the same too.
  EXPECT_EQ(Json::parse(read_text(path("one/ledger.json"))).at("epoch"), 1);
}

TEST_F(Fuzz, ContinuesWhereItStopped) {
  const std::string campaign = "fuzz --campaign flags --jobs 2 ";
  EXPECT_EQ(chainwalk(campaign + "--cases 9000 --corpus whole").status, 0);
  for (const std::string cases : {"100", "2000", "8192", "8193", "9000"})
    EXPECT_EQ(chainwalk(campaign + "--corpus parts --cases " + cases).status, 0);
  EXPECT_EQ(total("whole"), total("parts"));
  // Another campaign's folder is left alone.
  const std::string before = read_text(path("parts/ledger.json"));
  expect_refused(chainwalk("fuzz --campaign walk --cases 5 --corpus parts"), "another campaign");
  EXPECT_EQ(read_text(path("parts/ledger.json")), before);
}

TEST_F(Fuzz, EndsWellWhenItIsInterrupted) {
  const CommandResult result =
      shell(CHAINWALK_BINARY
            " fuzz --jobs 2 --corpus c & pid=$!; while [ ! -s c/ledger.json ]; do sleep "
            "0.1; done; kill -INT $pid; wait $pid");
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_NE(result.out.find("stopped"), std::string::npos) << result.out;
  const std::int64_t cases = total("c").at("cases");
  EXPECT_GT(cases, 0);
  // Past every range that was dealt: what was left out of them is run, and nothing twice.
  const std::int64_t all = cases + 3000;
  EXPECT_EQ(chainwalk("fuzz --jobs 2 --corpus c --cases " + std::to_string(all)).status, 0);
  EXPECT_EQ(total("c").at("cases"), all);
}

TEST_F(Fuzz, KeepsASecondCampaignOutOfItsFolder) {
  const CommandResult result =
      shell(CHAINWALK_BINARY
            " fuzz --jobs 1 --corpus c & pid=$!; while [ ! -s "
            "c/ledger.json ]; do sleep 0.1; done; " CHAINWALK_BINARY
            " fuzz --jobs 1 --corpus c --cases 5; echo status $?; " CHAINWALK_BINARY
            " fuzz --status --corpus c >/dev/null; echo status $?; "
            "kill -INT $pid; wait $pid");
  EXPECT_NE(result.out.find("status 2\nstatus 0\n"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("c: a campaign runs in this folder"), std::string::npos) << result.err;
  EXPECT_EQ(result.status, 0) << result.out;
}

TEST_F(Fuzz, NamesAndShrinksAWrongRule) {
  expect_found("--on wrong:rule=no-restart-after-invalid --cases 600", "no-restart-after-invalid",
               2, 2);
  const CommandResult replayed = chainwalk(
      "replay c/findings/no-restart-after-invalid.safetensors --on wrong:"
      "rule=no-restart-after-invalid");
  EXPECT_EQ(replayed.status, 1) << replayed.out;
  EXPECT_EQ(chainwalk("replay c/findings/no-restart-after-invalid.safetensors --on oracle").status,
            0);
}

TEST_F(Fuzz, ShrinksACrash) {
  expect_found("--on " + misbehaving("crash") + " --cases 3 --shrink-seconds 20", "crash-signal-11",
               1, 1);
}

// A crash in the middle of a range is its case's alone: those before and behind it count once, and
// so does what its own problem has.
TEST_F(Fuzz, LosesNoCaseNextToACrash) {
  const std::string limits = " --cases 120 --jobs 2 --shrink-seconds 0 --corpus ";
  EXPECT_EQ(chainwalk("fuzz --on " + misbehaving("crash") + ",only=f32" + limits + "c").status, 1);
  EXPECT_EQ(chainwalk("fuzz --on reference" + limits + "whole").status, 0);
  const Json crashed = total("c");
  const Json whole = total("whole");
  EXPECT_EQ(crashed.at("cases"), 120);
  EXPECT_EQ(crashed.at("coverage"), whole.at("coverage"));
  EXPECT_EQ(crashed.at("fingerprints"), whole.at("fingerprints"));
  ASSERT_EQ(crashed.at("findings").size(), 1U);
  EXPECT_GT(crashed["findings"][0].at("count"), 20);
}

// Ranges are cut where the time is over: what was run of them is kept, and the rest run once.
TEST_F(Fuzz, LosesNoCaseWhereItsTimeIsOver) {
  const std::string campaign = "fuzz --campaign boundaries --jobs 2 ";
  EXPECT_EQ(chainwalk(campaign + "--cases 2500 --corpus whole").status, 0);
  for (const std::string minutes : {"0.001", "0.003", "0.006", "0.002"}) {
    EXPECT_EQ(chainwalk(campaign + "--corpus parts --minutes " + minutes).status, 0);
    const Json ledger = Json::parse(read_text(path("parts/ledger.json")));
    std::int64_t waiting = 0;
    for (const Json& range : ledger.at("waiting")) waiting += range.at("count").get<std::int64_t>();
    EXPECT_EQ(ledger.at("total").at("cases").get<std::int64_t>() + waiting,
              2048 * (ledger.at("epoch").get<std::int64_t>() + 1));
  }
  EXPECT_EQ(chainwalk(campaign + "--corpus parts --cases 2500").status, 0);
  EXPECT_EQ(total("whole"), total("parts"));
}

TEST_F(Fuzz, ShrinksAHang) {
  expect_found("--on " + misbehaving("hang") + " --cases 1 --case-seconds 1 --shrink-seconds 20",
               "hang", 3, 3);
}

TEST_F(Fuzz, FindsWhoPlansWhatItMustRefuse) {
  const std::string on = "--on " + misbehaving("plans-anything");
  const CommandResult result =
      chainwalk("fuzz --campaign plans --cases 200 --jobs 1 --corpus c --json " + on);
  EXPECT_EQ(result.status, 1) << result.err;
  const Json findings = Json::parse(result.out).at("findings");
  ASSERT_FALSE(findings.empty());
  for (const Json& finding : findings) {
    EXPECT_EQ(finding.at("key").get<std::string>().rfind("decides-accepted-not-", 0), 0U)
        << finding;
    EXPECT_NE(read_text(path(finding.at("page").get<std::string>())).find("\nrequest    "),
              std::string::npos);
    EXPECT_LE(finding.at("records"), 3) << finding;
    EXPECT_LE(finding.at("groups"), 2) << finding;
  }
  const std::string file = findings.at(0).at("replay").get<std::string>();
  EXPECT_EQ(chainwalk("replay " + file).status, 1);
  EXPECT_EQ(chainwalk("replay --in-process " + file).status, 1);
  const CommandResult mended = chainwalk("replay --on reference " + file);
  EXPECT_EQ(mended.status, 0) << mended.out;
  EXPECT_NE(mended.out.find("as the rules ask"), std::string::npos) << mended.out;
}

TEST_F(Fuzz, ReportsTheRateOfWhatDoesNotRepeat) {
  const CommandResult result = chainwalk("fuzz --on " + misbehaving("often-flaky") +
                                         " --cases 60 --jobs 1 --corpus c --json");
  EXPECT_EQ(result.status, 1) << result.err;
  bool told = false;
  for (const auto& entry : fs::directory_iterator(path("c/findings"))) {
    if (entry.path().extension() == ".txt")
      told = told || read_text(entry.path()).find("NOT DETERMINISTIC") != std::string::npos;
  }
  EXPECT_TRUE(told);
}

TEST_F(Fuzz, CountsRefusalsAndDoesNotCallThemFindings) {
  const CommandResult result =
      chainwalk("fuzz --on " + misbehaving("refuses-everything") + " --cases 50 --corpus c --json");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(Json::parse(result.out).at("refused"), 50);
}

TEST_F(Fuzz, ShowsWhatIsCovered) {
  EXPECT_EQ(chainwalk("fuzz --campaign quantized --cases 200 --corpus c").status, 0);
  const CommandResult text = chainwalk("fuzz --campaign quantized --status --corpus c");
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("bank_scale_tie"), std::string::npos) << text.out;
  const Json status =
      Json::parse(chainwalk("fuzz --campaign quantized --status --json --corpus c").out);
  EXPECT_EQ(status.at("cases"), 200);
  EXPECT_GT(status.at("features").at("e4m3_tie"), 0);
  const std::string page = read_text(path("c/status.html"));
  EXPECT_EQ(page.rfind("<!doctype html>", 0), 0U);
  EXPECT_NE(page.find("<title>head_1 with f32_fp8"), std::string::npos);
  for (const char* outside : {"http://", "https://", "<script src", "<link"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  expect_refused(chainwalk("fuzz --status --corpus nothing"), "nothing has no campaign");
}

TEST_F(Fuzz, RefusesWhatItDoesNotKnow) {
  expect_refused(chainwalk("fuzz --campaign walks --cases 1"), "'walks' is not known");
  expect_refused(chainwalk("fuzz --against mine --cases 1"), "'mine'");
  expect_refused(chainwalk("fuzz --on nothing --cases 1"), "'nothing' is not known");
  expect_refused(chainwalk("fuzz --on oracle --campaign schedules --cases 1"), "schedules");
  expect_refused(chainwalk("fuzz --cases 0"), "--cases");
  expect_refused(chainwalk("fuzz --cases 1 --minutes 1"), "--minutes");
  expect_refused(chainwalk("fuzz --minutes nan"), "nan is no number above 0");
  expect_refused(chainwalk("fuzz --cases 9223372036854775808"), "9223372036854775808");
  expect_refused(chainwalk("fuzz --cases 1 --seed 18446744073709551616"), "2^64-1");
  expect_refused(chainwalk("fuzz --cases 1 --seed -1"), "-1 is no whole number");
  expect_refused(chainwalk("fuzz --cases 1 --jobs 1025"), "--jobs");
  expect_refused(chainwalk("fuzz --cases 1 --case-seconds inf"), "--case-seconds");
  EXPECT_TRUE(names().empty()) << names().front();
  const CommandResult list = chainwalk("fuzz --campaign list");
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("boundaries"), std::string::npos);
}

}  // namespace
}  // namespace chainwalk::cli
