// SPDX-License-Identifier: Apache-2.0
// Files and folders that cannot be read, do not fit, or cannot be written: status 2, a message that
// names them, and nothing lost.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>

#include "malformed.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

constexpr const char* small_run = "conform --on reference --shard 0/60 --jobs 1 --report r";
constexpr const char* whole_run = "conform --on reference --jobs 1 --report disk";

TEST_F(Malformed, Packages) {
  if (chainwalk("package --help").status != 0) GTEST_SKIP() << "packages are not in this build";
  ASSERT_EQ(chainwalk(small_run).status, 0);
  ASSERT_EQ(chainwalk("package r -o p.tar.gz").status, 0);
  const std::string bytes = read_text(path("p.tar.gz"));
  const std::array contents{std::string(),
                            std::string("x"),
                            std::string("this is no archive"),
                            bytes.substr(0, 10),
                            bytes.substr(0, bytes.size() / 8),
                            std::string(2000, '\xFF')};
  for (const std::string& content : contents) {
    write_text(path("b.zip"), content);
    expect_untouched("check-package b.zip", "package b.zip: ");
  }
  expect_untouched("check-package none.zip", "none.zip");
  expect_untouched("check-package r", "package r: ");
  expect_untouched("package none -o x.zip", "none/report.json");
  expect_untouched("package p.tar.gz -o x.zip", "p.tar.gz/report.json");
  expect_untouched("package r -o x.rar", "x.rar: its name must end in .tar.gz or .zip");
  expect_untouched("package r -o no/such/x.zip", "no/such/x.zip");
  fs::create_directory(path("folder.zip"));
  expect_untouched("package r -o folder.zip", "folder.zip");
  write_text(path("r") / "report.json", "{}");
  expect_untouched("package r -o x.zip", "r/report.json");
}

TEST_F(Malformed, ReportsThatAreMergedOrCompared) {
  ASSERT_EQ(chainwalk(small_run).status, 0);
  fs::create_directory(path("empty"));
  expect_untouched("merge r r --report m", "shard 0/60 is there twice: r and r");
  expect_untouched("merge r --report m", "shard 1/60 is missing");
  expect_untouched("merge empty --report m", "empty/report.json");
  expect_untouched("merge none --report m", "none/report.json");
  expect_untouched("merge r --report r", "r holds a report already");
  expect_untouched("compare r/report.json none.json", "none.json");
  expect_untouched("compare r/report.json empty", "empty is not a regular file");
  for (const char* content : {"", "no report", "{}", "[]", "{\"version\": 1}", "null"}) {
    write_text(path("b.json"), content);
    expect_untouched("compare r/report.json b.json", "report b.json: ");
  }
}

TEST_F(Malformed, ProblemsThatAreMadeShownOrExported) {
  ASSERT_EQ(chainwalk("generate -o fine.st").status, 0);
  write_text(path("text.st"), "no problem");
  const std::array<std::array<const char*, 2>, 22> wrong{
      {{"generate -o x.st --head-dim 0", "head_dim is 0"},
       {"generate -o x.st --head-dim 1048577", "head_dim is 1048577"},
       {"generate -o x.st --head-dim 99999999999999999999", "head_dim"},
       {"generate -o x.st --seed -1", "-1 is no whole number"},
       {"generate -o x.st --index -1", "-1 is no whole number"},
       {"generate -o x.st --parameters '{\"nosuch\": 1}'", "'nosuch' is not known"},
       {"generate -o x.st --parameters '{'", "--parameters"},
       {"generate -o no/such/x.st", "no/such/x.st"},
       {"run none.st -o x.st", "none.st"},
       {"run text.st -o x.st", "text.st"},
       {"run fine.st -o no/such/x.st", "no/such/x.st"},
       {"export text.st -o x.cpp", "text.st"},
       {"export none.st -o x.cpp", "none.st"},
       {"export fine.st --as fortran -o x.f", "fortran"},
       {"export fine.st -o no/such/x.cpp", "no/such/x.cpp"},
       {"draw fine.st --chunk 99 -o x.svg", "99"},
       {"draw fine.st --chunk 0 -o no/x.svg", "no/x.svg"},
       {"explain fine.st --chunk 99 --group 0 --column 0", "chunk is 99"},
       {"explain fine.st --chunk 0 --group 0 --column 999999", "column is 999999"},
       {"info text.st", "text.st"},
       {"mutants --only nosuch", "nosuch"},
       {"spec ARI-99", "ARI-99"}}};
  for (const auto& [arguments, said] : wrong) expect_untouched(arguments, said);
}

// None of these is a matter of permission bits, which mean nothing to root.
TEST_F(Malformed, PlacesThatCannotBeWritten) {
  write_text(path("file"), "mine");
  expect_untouched("conform --on reference --report file", "file");
  expect_untouched("conform --on reference --report file/below", "file");
  expect_untouched("conform --on reference --report /proc/nothing", "/proc/nothing");
  fs::create_symlink("loop", path("loop"));
  expect_untouched("conform --on reference --report loop", "loop");
  expect_untouched("conform --on reference --report " + std::string(300, 'x'), "xxx");
  expect_malformed(
      chainwalk("conform --on reference --shard 0/60 --report full --json", ">/dev/full"),
      "standard output");
  // The report of a run whose standard output failed is whole.
  EXPECT_EQ(report("full")["conforms"], true);
}

TEST_F(Malformed, FoldersThatCannotBeWritten) {
  ASSERT_EQ(chainwalk("generate -o fine.st").status, 0);
  fs::create_directory(path("r"));
  if (shell("unshare -rm true").status != 0) GTEST_SKIP() << "no right to mount";
  const std::string read_only =
      "unshare -rm sh -c 'mount -t tmpfs none r && mount -o remount,ro r && ";
  for (const std::string arguments :
       {"conform --on reference --shard 0/60 --report r", "conform --on reference --report r/new",
        "generate -o r/x.st", "run fine.st -o r/x.st", "export fine.st -o r/x.cpp",
        "draw fine.st --chunk 0 -o r/x.svg"})
    expect_untouched(arguments + "'", "Read-only file system", read_only);
}

// A disk of 64 KiB: what does not fit is refused, and nothing of it stays.
TEST_F(Malformed, SmallDisks) {
  ASSERT_EQ(chainwalk("generate -o fine.st").status, 0);
  ASSERT_EQ(chainwalk(small_run).status, 0);
  fs::create_directory(path("disk"));
  if (shell("unshare -rm true").status != 0) GTEST_SKIP() << "no right to mount";
  const std::string small = "unshare -rm sh -c 'mount -t tmpfs -o size=64k none disk && ";
  const std::string left = "; status=$?; ls -A disk >&2; exit $status'";
  for (const std::string arguments :
       {"generate -o disk/x.st", "run fine.st -o disk/x.st", "export fine.st -o disk/x.cpp"}) {
    expect_untouched(arguments + left, "No space left on device", small);
    const CommandResult result = shell(small + CHAINWALK_BINARY " " + arguments + left);
    EXPECT_EQ(result.err.find("disk\n"), std::string::npos);
    EXPECT_EQ(result.err.back(), '\n');
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1)
        << "a file was left: " << result.err;
  }
}

// A node of the test's own that is always full: it must be refused, and stay a device.
TEST_F(Malformed, DevicesThatAreFull) {
  ASSERT_EQ(chainwalk("generate -o fine.st").status, 0);
  if (::mknod(path("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 ||
      shell("head -c 1 full").status != 0)
    GTEST_SKIP() << "no right to make a device node";
  for (const std::string arguments : {"generate -o full", "run fine.st -o full",
                                      "export fine.st -o full", "draw fine.st --chunk 0 -o full"}) {
    expect_malformed(chainwalk(arguments), "full");
    EXPECT_TRUE(fs::is_character_file(path("full"))) << arguments;
  }
}

TEST_F(Malformed, FullDiskLosesNothing) {
  // 16 blocks of 1024 bytes: the journal stops in the middle; SIGXFSZ ignored makes it an error.
  const std::string full = "(trap '' XFSZ; ulimit -f 16; exec " CHAINWALK_BINARY " ";
  expect_malformed(shell(full + whole_run + ")"), "disk");
  EXPECT_FALSE(fs::exists(path("disk") / "report.json"));
  // What the journal holds counts when there is room again.
  const CommandResult resumed = chainwalk("conform --on reference --report disk --resume --json");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_GT(Json::parse(resumed.out)["run"]["resumed"].get<int>(), 5);
}

// The run is over when its report turns out not to be writable: the journal has it all.
TEST_F(Malformed, AReportThatCannotBeWrittenLosesNoResult) {
  fs::create_directories(path("r") / "report.json");
  expect_malformed(chainwalk(small_run), "r/report.json");
  fs::remove(path("r") / "report.json");
  const CommandResult resumed = chainwalk(std::string(small_run) + " --resume --json");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  const Json whole = Json::parse(resumed.out);
  EXPECT_EQ(whole["run"]["resumed"], whole["cases"].size());
}

}  // namespace
}  // namespace chainwalk::cli
