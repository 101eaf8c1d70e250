// SPDX-License-Identifier: Apache-2.0
// Runs under waivers, shards that are merged and packed, crashes and hangs that are shrunk and
// replayed.
#include <map>
#include <set>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class ReportFolders : public CommandLine {
 protected:
  std::set<std::string> verdicts(const std::string& folder) const {
    std::set<std::string> found;
    const Json whole = report(folder);
    for (const Json& one : whole["cases"]) found.insert(one["verdict"]);
    return found;
  }
  void write_waiver(const std::string& of, bool crash_class, const std::string& key = "case") {
    write_text(path("w.json"), Json{{"waivers",
                                     {{{key, of},
                                       {"reason", "known"},
                                       {"link", "https://example.org/7"},
                                       {"expires", "2999-01-01"},
                                       {"crash_class", crash_class}}}}}
                                   .dump());
  }
  std::string misbehaving(const std::string& fault) const {
    return "--on " CHAINWALK_PLUGINS "/misbehaving.so:fault=" + fault + " ";
  }
};

// The suite's first case, and one more: what a shard of this many has.
constexpr const char* two_cases = "--shard 0/290 --jobs 1 ";

TEST_F(ReportFolders, CrashClassWaiversNeverLaunch) {
  const CommandResult plain =
      chainwalk("conform " + misbehaving("crash") + two_cases + "--report plain");
  EXPECT_EQ(plain.status, 1) << plain.err;
  EXPECT_EQ(verdicts("plain"), (std::set<std::string>{"crash"}));

  write_waiver("*", true);
  const CommandResult waived =
      chainwalk("conform " + misbehaving("crash") + two_cases + "--waivers w.json --report waived");
  EXPECT_EQ(waived.status, 0) << waived.out << waived.err;
  const Json told = report("waived");
  EXPECT_EQ(told["waived"], told["cases"].size());
  EXPECT_EQ(verdicts("waived"), (std::set<std::string>{"not_run"}));
  EXPECT_EQ(read_text(path("waived") / "journal.jsonl").find("begin"), std::string::npos)
      << "nothing may have been launched";

  write_waiver("*", false);
  EXPECT_EQ(chainwalk("conform " + misbehaving("crash") + two_cases +
                      "--waivers w.json --report launched")
                .status,
            0);
  EXPECT_EQ(verdicts("launched"), (std::set<std::string>{"crash"}));
}

TEST_F(ReportFolders, WaiversOfWrongAnswersRunAndAnUnexpectedPassFails) {
  write_waiver("REC/plain-bf16/0", false);
  const std::string wrong = "conform --on wrong:rule=no-restart ";
  const CommandResult waived = chainwalk(wrong + two_cases + "--waivers w.json --report a");
  EXPECT_EQ(report("a")["cases"][0]["verdict"], "fail");
  EXPECT_EQ(report("a")["waived"], 1);
  EXPECT_NE(waived.out.find("waived REC/plain-bf16/0: 1 case, until 2999-01-01: known"),
            std::string::npos)
      << waived.out;
  const CommandResult passes =
      chainwalk("conform --on reference " + std::string(two_cases) + "--waivers w.json --report b");
  EXPECT_EQ(passes.status, 1);
  EXPECT_NE(passes.out.find("REC/plain-bf16/0 passes although"), std::string::npos) << passes.out;
}

TEST_F(ReportFolders, NothingSelectedIsAnError) {
  expect_refused(chainwalk("conform --on reference --shard 99999/100000 --report r"),
                 "shard 99999/100000 has no case");
  EXPECT_FALSE(fs::exists(path("r")));
  write_waiver("ARI/no-such-recipe/*", true);
  expect_refused(chainwalk("conform --on reference --waivers w.json --report r"),
                 "\"ARI/no-such-recipe/*\", which no profile has");
  EXPECT_FALSE(fs::exists(path("r")));
}

TEST_F(ReportFolders, CrashesAndHangsShrinkAndReplay) {
  for (const std::string fault : {"crash", "hang"}) {
    SCOPED_TRACE(fault);
    const CommandResult run = chainwalk("conform " + misbehaving(fault) +
                                        "--shard 0/570 --case-seconds 2 --report " + fault);
    EXPECT_EQ(run.status, 1) << run.err;
    const Json failed = report(fault)["cases"][0];
    EXPECT_EQ(failed["verdict"], fault);
    const std::string replay = failed["replay"];
    const Json sizes = Json::parse(chainwalk("info --json " + replay).out);
    EXPECT_EQ(sizes["shape"]["steps"], 1) << sizes.dump();
    EXPECT_EQ(sizes["shape"]["head_dim"], 1);
    EXPECT_EQ(sizes["shape"]["positions"], 0);
    // The program outlives what it replays.
    const CommandResult again = chainwalk("replay --json --case-seconds 2 " + replay);
    EXPECT_EQ(again.status, 1) << again.err;
    EXPECT_EQ(Json::parse(again.out)["verdict"], fault);
    EXPECT_EQ(chainwalk("replay --on reference " + replay).status, 0);
    const std::string page = read_text(path(fault) / "report.html");
    EXPECT_NE(page.find("(shrunk from "), std::string::npos);
  }
}

TEST_F(ReportFolders, ReplayRefusesAProblemThatIsNotWellFormed) {
  ASSERT_EQ(chainwalk("conform --on wrong:rule=no-restart --shard 0/570 --report r").status, 1);
  const std::string replay = report("r")["cases"][0]["replay"];
  // The first record's slot becomes one past any bank: its bytes are found by their place.
  write_text(path("spoil.py"),
             "import json, struct, sys\n"
             "data = bytearray(open(sys.argv[1], 'rb').read())\n"
             "size = struct.unpack('<Q', data[:8])[0]\n"
             "at = 8 + size + json.loads(data[8:8 + size])['records']['data_offsets'][0]\n"
             "data[at + 4:at + 8] = b'\\xff\\xff\\xff\\x7f'\n"
             "open('spoiled.st', 'wb').write(data)\n");
  ASSERT_EQ(shell("python3 spoil.py " + replay).status, 0);
  expect_refused(chainwalk("replay spoiled.st"), "spoiled.st: ");
  expect_refused(chainwalk("export spoiled.st -o t.cpp"), "spoiled.st: ");
  EXPECT_FALSE(fs::exists(path("t.cpp")));
}

// ---- Shards ----

TEST_F(ReportFolders, MergedShardsAreTheWholeRun) {
  const std::string wrong = "conform --on wrong:rule=store-ties-away ";
  ASSERT_EQ(chainwalk(wrong + "--report whole").status, 1);
  for (const std::string shard : {"0", "1", "2"})
    ASSERT_LE(chainwalk(wrong + "--shard " + shard + "/3 --report s" + shard).status, 1);
  const CommandResult merged = chainwalk("merge s2 s0 s1 --report m");
  EXPECT_EQ(merged.status, 1) << merged.err;
  const Json whole = report("whole");
  const Json parts = report("m");
  for (const char* key : {"conforms", "claim", "counts", "rules", "complaints", "waived"})
    EXPECT_EQ(parts[key], whole[key]) << key;
  ASSERT_EQ(parts["cases"].size(), whole["cases"].size());
  for (std::size_t index = 0; index < whole["cases"].size(); ++index) {
    for (const char* key : {"case", "verdict", "output_hash"})
      EXPECT_EQ(parts["cases"][index][key], whole["cases"][index][key]);
  }
  EXPECT_EQ(chainwalk("compare whole/report.json m/report.json").status, 0);
  // A failure can be replayed from the merged folder alone.
  for (const std::string shard : {"0", "1", "2"}) fs::remove_all(path("s" + shard));
  for (const Json& one : parts["cases"]) {
    if (one["replay"] != "") {
      EXPECT_EQ(chainwalk("replay " + one["replay"].get<std::string>()).status, 1) << one["case"];
      break;
    }
  }
}

TEST_F(ReportFolders, MergedShardsPackLikeAWholeRun) {
  if (chainwalk("package --help").status != 0) GTEST_SKIP() << "packages are not in this build";
  for (const std::string shard : {"0", "1"})
    ASSERT_EQ(chainwalk("conform --on reference --shard " + shard + "/2 --report s" + shard).status,
              0);
  ASSERT_EQ(chainwalk("merge s0 s1 --report m").status, 0);
  ASSERT_EQ(chainwalk("package m -o m.zip").status, 0);
  const CommandResult checked = chainwalk("check-package m.zip");
  EXPECT_EQ(checked.status, 0) << checked.out;
  ASSERT_EQ(chainwalk("package s0 -o s.zip").status, 0);
  const CommandResult part = chainwalk("check-package s.zip");
  EXPECT_EQ(part.status, 1);
  EXPECT_NE(part.out.find("required but not there"), std::string::npos);
}

TEST_F(ReportFolders, ShardsThatDoNotFitAreRefused) {
  for (const std::string shard : {"0", "1"})
    ASSERT_EQ(
        chainwalk("conform --on reference --shard " + shard + "/200 --report s" + shard).status, 0);
  ASSERT_EQ(chainwalk("conform --on oracle --shard 1/200 --report o1").status, 0);
  const auto expect_nothing = [&](const std::string& arguments, const std::string& said) {
    expect_refused(chainwalk("merge " + arguments + " --report m"), said);
    EXPECT_FALSE(fs::exists(path("m"))) << arguments;
  };
  expect_nothing("s0 s1", "shard 2/200 is missing");
  expect_nothing("s0 s0", "shard 0/200 is there twice");
  expect_nothing("s0 o1", "implementation is 'reference' and 'oracle'");
  expect_nothing("s0 none", "none");
  expect_refused(chainwalk("merge s0 s1 --report s0"), "s0 holds a report already");
  write_text(path("s1") / "journal.jsonl", "no journal\n");
  expect_nothing("s0 s1", "line 1 does not say what run it is of");
}

// ---- Packages under waivers ----

TEST_F(ReportFolders, APackageNamesItsWaiversAndRefusesExpiredOnes) {
  if (chainwalk("package --help").status != 0) GTEST_SKIP() << "packages are not in this build";
  write_waiver("NUM/special-values-bf16/1", false);
  const CommandResult run =
      chainwalk("conform --on wrong:rule=store-ties-away --waivers w.json --report v");
  ASSERT_LE(run.status, 1) << run.err;
  ASSERT_EQ(chainwalk("package v -o v.zip").status, 0);
  const Json checked = Json::parse(chainwalk("check-package --json v.zip").out);
  ASSERT_EQ(checked["waived"].size(), 1U);
  EXPECT_EQ(checked["waived"][0],
            "waived: 1 results of NUM/special-values-bf16/1 until 2999-01-01: known "
            "(https://example.org/7)");
  for (const Json& finding : checked["findings"])
    EXPECT_NE(finding, "fail: NUM/special-values-bf16/1");

  std::string text = read_text(path("v") / "report.json");
  text.replace(text.find("2999-01-01"), 10, "2001-01-01");
  write_text(path("v") / "report.json", text);
  ASSERT_EQ(chainwalk("package v -o late.zip").status, 0);
  const CommandResult late = chainwalk("check-package late.zip");
  EXPECT_EQ(late.status, 1);
  EXPECT_NE(late.out.find("expired: the waiver of NUM/special-values-bf16/1 ended on 2001-01-01"),
            std::string::npos)
      << late.out;
}

// ---- doctor ----

TEST_F(ReportFolders, DoctorSaysWhatIsThereAndHowToGetTheRest) {
  const CommandResult told = chainwalk("doctor --json");
  ASSERT_EQ(told.status, 0) << told.err;
  std::map<std::string, Json> found;
  const Json document = Json::parse(told.out);
  for (const Json& one : document["findings"]) {
    found[one["name"]] = one;
    EXPECT_NE(one["text"], "") << one["name"];
    if (!one["there"].get<bool>()) {
      EXPECT_NE(one["advice"], "") << one["name"];
    }
  }
  for (const char* name :
       {"reference", "oracle", "C++ compiler", "nvcc", "memory", "address space"})
    EXPECT_TRUE(found.contains(name)) << name;
  EXPECT_EQ(found["reference"]["there"], true);
  EXPECT_EQ(found["python3"]["there"], shell("python3 --version").status == 0);
  const Json bare = Json::parse(chainwalk("doctor --json", "| cat").out);
  EXPECT_EQ(bare["fit"], true);
  // With an empty PATH no tool is found, and each is named with what brings it.
  const CommandResult poor = shell("PATH=/nowhere " CHAINWALK_BINARY " doctor");
  EXPECT_EQ(poor.status, 0);
  EXPECT_NE(poor.out.find("apt-get install g++"), std::string::npos) << poor.out;
  const CommandResult narrow = shell("ulimit -v 8000000; " CHAINWALK_BINARY " doctor");
  EXPECT_NE(narrow.out.find("ulimit -v unlimited"), std::string::npos) << narrow.out;
}

}  // namespace
}  // namespace chainwalk::cli
