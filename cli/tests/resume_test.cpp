// SPDX-License-Identifier: Apache-2.0
// Runs that are killed and resumed, cut into shards, and held to budgets, against an undisturbed
// one.
#include <fcntl.h>
#include <signal.h>

#include <chrono>
#include <map>
#include <random>
#include <thread>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

class ResumedRuns : public CommandLine {
 protected:
  // What a case came to, by its id; a case that is there twice fails.
  std::map<std::string, Json> results(const std::string& folder) const {
    std::map<std::string, Json> found;
    const Json run = report(folder);
    for (const Json& one : run["cases"]) {
      Json kept;
      for (const char* key : {"verdict", "output_hash", "rules", "text", "coordinates"})
        kept[key] = one[key];
      EXPECT_TRUE(found.emplace(one["case"], kept).second) << one["case"];
    }
    return found;
  }

  // Every case of the journal ended once, and none began after it had ended.
  void expect_nothing_run_twice(const std::string& folder, std::size_t cases) const {
    std::map<std::string, int> ends;
    std::istringstream journal(read_text(path(folder) / "journal.jsonl"));
    for (std::string line; std::getline(journal, line);) {
      const Json entry = Json::parse(line);
      if (entry.contains("end")) ++ends[entry["end"]["case"].get<std::string>()];
      if (!entry.contains("begin")) continue;
      EXPECT_EQ(ends.count(entry["begin"].get<std::string>()), 0U);
    }
    EXPECT_EQ(ends.size(), cases);
    for (const auto& [id, count] : ends) EXPECT_EQ(count, 1) << id;
  }

  // Starts `chainwalk conform` and kills it after `delay`, workers left to themselves; true where
  // it ended before.
  bool run_until(const std::string& folder, bool resume, std::chrono::milliseconds delay) {
    const pid_t process = ::fork();
    if (process == 0) {
      const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
      if (::chdir(path(".").c_str()) != 0) ::_exit(126);
      ::execl(CHAINWALK_BINARY, CHAINWALK_BINARY, "conform", "--on", "reference", "--jobs", "2",
              "--report", folder.c_str(), resume ? "--resume" : nullptr, nullptr);
      ::_exit(127);
    }
    int status = 0;
    const auto deadline = std::chrono::steady_clock::now() + delay;
    while (std::chrono::steady_clock::now() < deadline) {
      if (::waitpid(process, &status, WNOHANG) == process) {
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(process, SIGKILL);
    ::waitpid(process, &status, 0);
    if (WIFSIGNALED(status)) return false;
    EXPECT_EQ(WEXITSTATUS(status), 0);
    return true;
  }

  void expect_kills_change_nothing(int kills, int longest) {
    ASSERT_EQ(chainwalk("conform --on reference --report whole").status, 0);
    const auto expected = results("whole");
    std::mt19937 random(20240607);
    std::uniform_int_distribution<int> delays(2, longest);
    int killed = 0;
    for (int run = 0; killed < kills; ++run) {
      const std::string folder = "killed" + std::to_string(run);
      bool ended = false;
      while (!ended && killed < kills) {
        ended = run_until(folder, fs::exists(path(folder) / "journal.jsonl"),
                          std::chrono::milliseconds(delays(random)));
        killed += ended ? 0 : 1;
      }
      ended = ended || run_until(folder, true, std::chrono::minutes(5));
      ASSERT_TRUE(ended);
      EXPECT_EQ(results(folder), expected);
      expect_nothing_run_twice(folder, expected.size());
      EXPECT_TRUE(report(folder)["conforms"].get<bool>());
    }
  }
};

TEST_F(ResumedRuns, KilledRunsEndAsUndisturbedOnes) { expect_kills_change_nothing(6, 400); }

TEST_F(ResumedRuns, LongFiftyKillsChangeNothing) { expect_kills_change_nothing(50, 600); }

TEST_F(ResumedRuns, JournalOfAnotherRunIsRefusedAndKept) {
  ASSERT_EQ(chainwalk("conform --on reference --shard 0/40 --report run").status, 0);
  const std::string before = read_text(path("run") / "journal.jsonl");
  expect_refused(chainwalk("conform --on reference --shard 0/40 --report run"), "--resume");
  expect_refused(chainwalk("conform --on reference --shard 0/40 --seed 2 --resume --report run"),
                 "another run");
  expect_refused(chainwalk("conform --on reference --shard 1/40 --resume --report run"),
                 "another run");
  EXPECT_EQ(read_text(path("run") / "journal.jsonl"), before);
}

TEST_F(ResumedRuns, ShardsAreTheWhole) {
  ASSERT_EQ(chainwalk("conform --on reference --report whole --jobs 1").status, 0);
  std::map<std::string, Json> united;
  for (const char* shard : {"0", "1", "2"}) {
    const std::string folder = std::string("shard") + shard;
    ASSERT_EQ(
        chainwalk("conform --on reference --report " + folder + " --jobs 3 --shard " + shard + "/3")
            .status,
        0);
    const auto part = results(folder);
    EXPECT_GT(part.size(), 100U);
    for (const auto& [id, result] : part) EXPECT_TRUE(united.emplace(id, result).second) << id;
  }
  EXPECT_EQ(united, results("whole"));
}

TEST_F(ResumedRuns, CasesPastTheBudgetCountAgainstTheClaim) {
  EXPECT_EQ(chainwalk("conform --on reference --report short --time-budget 0.01 --jobs 1").status,
            1);
  const Json short_run = report("short");
  EXPECT_FALSE(short_run["conforms"].get<bool>());
  EXPECT_GT(short_run["counts"]["not_run"].get<int>(), 0);
  bool said = false;
  for (const Json& one : short_run["cases"])
    said = said || one["text"] == "the time budget was spent";
  EXPECT_TRUE(said);
  // What was left out runs when the run is resumed.
  EXPECT_EQ(chainwalk("conform --on reference --report short --resume").status, 0);
  EXPECT_EQ(report("short")["counts"]["not_run"], 0);
}

TEST_F(ResumedRuns, CasesOverTheMemoryLimitAreNotRun) {
  EXPECT_EQ(chainwalk("conform --on reference --report small --max-memory 32").status, 1);
  const Json run = report("small");
  const int left_out = run["counts"]["not_run"];
  EXPECT_GT(left_out, 0);
  for (const Json& one : run["cases"]) {
    if (one["verdict"] != "not_run") continue;
    EXPECT_NE(one["text"].get<std::string>().find("--max-memory"), std::string::npos) << one;
  }
}

}  // namespace
}  // namespace chainwalk::cli
