// SPDX-License-Identifier: Apache-2.0
// The command line tool from outside: exit statuses, messages, JSON, files whole or not at all.
#include <algorithm>
#include <vector>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

using Json = nlohmann::json;

TEST_F(CommandLine, HelpTeaches) {
  const CommandResult top = chainwalk("--help");
  EXPECT_EQ(top.status, 0);
  for (const std::string name : {"verify", "validate", "info", "run", "generate", "explain", "draw",
                                 "spec", "bench", "kernels", "geometry", "devices"}) {
    EXPECT_NE(top.out.find("  " + name), std::string::npos) << name;
    const CommandResult help = chainwalk(name + " --help");
    EXPECT_EQ(help.status, 0) << name;
    EXPECT_NE(help.out.find("Example"), std::string::npos) << name;
    EXPECT_NE(help.out.find("chainwalk " + name), std::string::npos) << name;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << name;
    EXPECT_TRUE(help.err.empty()) << name;
  }
}

TEST_F(CommandLine, VersionNamesTheSpecification) {
  const CommandResult version = chainwalk("--version");
  EXPECT_EQ(version.status, 0);
  EXPECT_NE(version.out.find("specification "), std::string::npos);
}

TEST_F(CommandLine, UsageErrorsAreRefused) {
  expect_refused(chainwalk(""), "A subcommand is required");
  expect_refused(chainwalk("verifi"), "verifi");
  expect_refused(chainwalk("verify"), "FILE");
  expect_refused(chainwalk("verify a --no-such-option"), "--no-such-option");
  expect_refused(chainwalk("verify a --threads many"), "many");
  expect_refused(chainwalk("explain a --chunk 0 --group 0"), "--column");
  expect_refused(chainwalk("run a"), "--output");
}

TEST_F(CommandLine, GeneratedProblemsVerifyOnBothModels) {
  ASSERT_EQ(chainwalk("generate -o a.safetensors --head-dim 30 --snapshot int4 --seed 3").status,
            0);
  ASSERT_EQ(chainwalk("generate -o b.safetensors --draw --index 40").status, 0);
  for (const std::string on :
       {"--on reference", "--on oracle", "--on reference --threads 1 --isa portable",
        "--on reference:threads=2"}) {
    const CommandResult result = chainwalk("verify a.safetensors b.safetensors " + on);
    EXPECT_EQ(result.status, 0) << on << result.out << result.err;
    EXPECT_NE(result.out.find("2 of 2 files equal"), std::string::npos) << result.out;
    EXPECT_TRUE(result.err.empty()) << result.err;
  }
}

TEST_F(CommandLine, GenerateIsAFunctionOfItsOptions) {
  ASSERT_EQ(chainwalk("generate -o a.st --draw --seed 5 --index 9").status, 0);
  ASSERT_EQ(chainwalk("generate -o b.st --draw --seed 5 --index 9 --on oracle:").status, 2);
  ASSERT_EQ(chainwalk("generate -o b.st --draw --seed 5 --index 9").status, 0);
  ASSERT_EQ(chainwalk("generate -o c.st --draw --seed 5 --index 10").status, 0);
  EXPECT_EQ(read_text(path("a.st")), read_text(path("b.st")));
  EXPECT_NE(read_text(path("a.st")), read_text(path("c.st")));
}

TEST_F(CommandLine, GenerateRefusesWrongParametersAndWritesNothing) {
  expect_refused(chainwalk("generate -o a.st --head-dim 0"), "head_dim is 0");
  expect_refused(chainwalk("generate -o a.st --head-dim x"), "--head-dim is 'x'");
  expect_refused(chainwalk("generate -o a.st --groups many"), "single, mixed, whole, borders");
  expect_refused(chainwalk("generate -o a.st --parameters '[]'"), "not a JSON object");
  expect_refused(chainwalk(R"(generate -o a.st --parameters '{"hd": 3}')"), "'hd'");
  expect_refused(chainwalk("generate -o no/such/folder/a.st"), "no/such/folder/a.st");
  EXPECT_TRUE(names().empty());
}

// The offset in the file of a byte of a tensor, read from its header.
std::size_t tensor_byte(const std::string& file, const std::string& tensor, std::size_t offset) {
  std::size_t length = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    length |= static_cast<std::size_t>(static_cast<unsigned char>(file[i])) << (8 * i);
  }
  const Json header = Json::parse(file.substr(8, length));
  return 8 + length + header.at(tensor).at("data_offsets").at(0).get<std::size_t>() + offset;
}

TEST_F(CommandLine, ADifferenceIsNamedAndReproduced) {
  ASSERT_EQ(chainwalk("generate -o 'it'\"'\"'s a.st' --bank-type f32 --head-dim 5 --slots 100 "
                      "--values plain --invalid-share 0")
                .status,
            0);
  const fs::path file = path("it's a.st");
  std::string bytes = read_text(file);
  const std::size_t at = tensor_byte(bytes, "bank_after", (3 * 5 + 2) * 4);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  write_text(file, bytes);
  const CommandResult text = chainwalk(R"(verify "it's a.st")");
  EXPECT_EQ(text.status, 1);
  EXPECT_NE(text.out.find("bank row 3 column 2: expected 0x"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("1 element of it differs"), std::string::npos) << text.out;

  const CommandResult json = chainwalk(R"(verify --json "it's a.st")");
  EXPECT_EQ(json.status, 1);
  const Json report = Json::parse(json.out);
  EXPECT_EQ(report.at("different"), 1);
  const Json& difference = report.at("files").at(0).at("differences").at(0);
  EXPECT_EQ(difference.at("tensor"), "bank");
  EXPECT_EQ(difference.at("row"), 3);
  EXPECT_EQ(difference.at("column"), 2);
  EXPECT_EQ(difference.at("count"), 1);
  EXPECT_FALSE(difference.at("rules").empty());
  // The line that the report gives, with the binary's own path in place of its name.
  const std::string line = report.at("files").at(0).at("reproduce").get<std::string>();
  ASSERT_EQ(line.rfind("chainwalk ", 0), 0U);
  EXPECT_EQ(chainwalk(line.substr(10)).out, text.out);
}

TEST_F(CommandLine, ExplainLineOfADifferenceWorks) {
  ASSERT_EQ(chainwalk("generate -o a.st --snapshot raw --head-dim 8 --invalid-share 0").status, 0);
  std::string bytes = read_text(path("a.st"));
  const std::size_t at = tensor_byte(bytes, "snapshot", 1);
  bytes[at] = static_cast<char>(bytes[at] ^ 0x40);
  write_text(path("a.st"), bytes);
  const CommandResult verify = chainwalk("verify --json a.st");
  EXPECT_EQ(verify.status, 1);
  const std::string line =
      Json::parse(verify.out).at("files").at(0).at("explain").get<std::string>();
  const CommandResult explain = chainwalk(line.substr(10));
  EXPECT_EQ(explain.status, 0) << explain.err;
  for (const char* rule : {"ARI-1", "ARI-2", "ARI-3", "SNP-1", "SNP-2"}) {
    EXPECT_NE(explain.out.find(rule), std::string::npos) << explain.out;
  }
  EXPECT_EQ(Json::parse(chainwalk(line.substr(10) + " --json").out).at("trace").at("valid"), true);
}

TEST_F(CommandLine, AMalformedFileDoesNotStopTheOthers) {
  ASSERT_EQ(chainwalk("generate -o good.st").status, 0);
  write_text(path("bad.st"), "this is no capture");
  const CommandResult result = chainwalk("verify missing.st bad.st good.st");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.out.find("good.st"), std::string::npos);
  EXPECT_NE(result.err.find("missing.st"), std::string::npos);
  EXPECT_NE(result.err.find("bad.st"), std::string::npos);
  const Json report = Json::parse(chainwalk("verify --json missing.st bad.st good.st").out);
  EXPECT_EQ(report.at("malformed"), 2);
  EXPECT_EQ(report.at("equal"), 1);
}

TEST_F(CommandLine, NothingSelectedIsAnError) {
  fs::create_directory(path("empty"));
  expect_refused(chainwalk("verify empty"), "empty");
  expect_refused(chainwalk("validate empty"), "empty");
}

TEST_F(CommandLine, FilesWithoutOutputsCannotBeVerified) {
  ASSERT_EQ(chainwalk("generate -o in.st --no-outputs").status, 0);
  expect_refused(chainwalk("verify in.st"), "no outputs");
  ASSERT_EQ(chainwalk("run in.st -o out.st --on oracle").status, 0);
  EXPECT_EQ(chainwalk("verify out.st --on reference").status, 0);
  ASSERT_EQ(chainwalk("run out.st -o out.st").status, 0);
  EXPECT_EQ(chainwalk("verify out.st --on oracle").status, 0);
}

TEST_F(CommandLine, CutFilesAreRefused) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 4 --positions 8 --slots 20").status, 0);
  const std::string bytes = read_text(path("a.st"));
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, std::size_t{8}, std::size_t{9},
                                   std::size_t{100}, bytes.size() / 2, bytes.size() - 1}) {
    write_text(path("cut.st"), bytes.substr(0, length));
    for (const std::string command : {"verify cut.st", "validate cut.st", "info cut.st",
                                      "run cut.st -o out.st", "draw cut.st -o out.svg"}) {
      expect_refused(chainwalk(command), "cut.st");
    }
  }
  write_text(path("cut.st"), bytes + "x");
  expect_refused(chainwalk("verify cut.st"), "cut.st");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.st", "cut.st"}));
}

TEST_F(CommandLine, ChangedHeadersNeverCrash) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 4 --positions 8 --slots 20").status, 0);
  const std::string bytes = read_text(path("a.st"));
  for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 700); at += 11) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ (1 << (at % 8)));
    write_text(path("changed.st"), changed);
    const CommandResult result = chainwalk("verify changed.st");
    EXPECT_LE(result.status, 2) << "byte " << at;
    if (result.status == 2) {
      EXPECT_EQ(result.err.rfind("chainwalk: error: ", 0), 0U) << "byte " << at << result.err;
    }
  }
}

TEST_F(CommandLine, ValidateNamesRuleAndPlace) {
  ASSERT_EQ(
      chainwalk("generate -o a.st --free-members false --invalid-share 0 --groups single").status,
      0);
  EXPECT_EQ(chainwalk("validate a.st").out, "valid  a.st\n");
  std::string bytes = read_text(path("a.st"));
  bytes[tensor_byte(bytes, "records", 5 * 16 + 7)] = 0x7F;  // slot of position 5
  write_text(path("a.st"), bytes);
  expect_refused(chainwalk("validate a.st"), "REC-5");
  const Json fault =
      Json::parse(chainwalk("validate --json a.st").out).at("files").at(0).at("faults").at(0);
  EXPECT_EQ(fault.at("rule"), "REC-5");
  EXPECT_EQ(fault.at("chunk"), 0);
  EXPECT_EQ(fault.at("position"), 5);
  expect_refused(chainwalk("verify a.st"), "position 5");
  expect_refused(chainwalk("explain a.st --chunk 0 --group 0 --column 0"), "REC-5");
}

TEST_F(CommandLine, RangesOfExplainAndDrawAreNamed) {
  ASSERT_EQ(chainwalk("generate -o a.st --head-dim 8").status, 0);
  expect_refused(chainwalk("explain a.st --chunk 99 --group 0 --column 0"), "99");
  expect_refused(chainwalk("explain a.st --chunk 0 --group 99 --column 0"), "99");
  expect_refused(chainwalk("explain a.st --chunk 0 --group 0 --column 8"), "8");
  expect_refused(chainwalk("explain a.st --chunk -1 --group 0 --column 0"), "-1");
  expect_refused(chainwalk("draw a.st --chunk 99 -o w.svg"), "99");
  expect_refused(chainwalk("draw a.st --first 99 -o w.svg"), "99");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.st"}));
}

TEST_F(CommandLine, DrawShowsEveryGroupAtEverySize) {
  for (const int positions : {0, 1, 20, 300, 3000, 9000}) {
    ASSERT_EQ(chainwalk("generate -o a.st --no-outputs --head-dim 4 --slots 20000 --groups single "
                        "--positions " +
                        std::to_string(positions))
                  .status,
              0);
    ASSERT_EQ(chainwalk("draw a.st -o walk.svg").status, 0);
    const std::string svg = read_text(path("walk.svg"));
    EXPECT_EQ(svg.rfind("<svg ", 0), 0U);
    EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
    int titles = 0;
    for (std::size_t at = svg.find("<title>group "); at != std::string::npos;
         at = svg.find("<title>group ", at + 1)) {
      ++titles;
    }
    EXPECT_EQ(titles, positions);
  }
}

TEST_F(CommandLine, SpecPrintsRules) {
  const CommandResult rule = chainwalk("spec ari-4");
  EXPECT_EQ(rule.status, 0);
  EXPECT_EQ(rule.out.rfind("ARI-4", 0), 0U);
  EXPECT_NE(chainwalk("spec QNT").out.find("QNT-6"), std::string::npos);
  EXPECT_EQ(chainwalk("spec QNT").out.find("ARI-1 "), std::string::npos);
  expect_refused(chainwalk("spec ARI-99"), "ARI-99");
  EXPECT_GT(Json::parse(chainwalk("spec --json").out).at("rules").size(), 50U);
}

TEST_F(CommandLine, BenchMeasuresASmallProblem) {
  const CommandResult result = chainwalk(
      "bench reference --slots-per-stream 64 --chunk-size 2 --writes-per-token 4 --repetitions 1 "
      "--no-numpy --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(Json::parse(result.out).at("result").is_object());
  expect_refused(chainwalk("bench nothing"), "nothing");
  expect_refused(chainwalk("bench reference --isa mmx"), "'mmx'");
  expect_refused(chainwalk("bench reference --head-dim 0"), "head_dim");
}

TEST_F(CommandLine, UnwritableOutputIsAnError) {
  expect_refused(chainwalk("spec", ">/dev/full"), "cannot write standard output");
  ASSERT_EQ(chainwalk("generate -o a.st").status, 0);
  fs::create_directory(path("folder"));
  expect_refused(chainwalk("run a.st -o folder"), "folder");
  expect_refused(chainwalk("draw a.st -o no/walk.svg"), "no/walk.svg");
  EXPECT_EQ(names(), (std::vector<std::string>{"a.st", "folder"}));
}

TEST_F(CommandLine, ABrokenPipeIsAnError) {
  const CommandResult result =
      shell("{ sleep 0.3; " CHAINWALK_BINARY
            " spec --json; echo status $? >&2; } | { exec <&-; sleep 1; }");
  EXPECT_NE(result.err.find("status 2"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("cannot write standard output"), std::string::npos) << result.err;
}

TEST_F(CommandLine, ImplementationsThatDoNotExistAreNamed) {
  ASSERT_EQ(chainwalk("generate -o a.st").status, 0);
  expect_refused(chainwalk("verify a.st --on nothing"), "'nothing' is not known");
  expect_refused(chainwalk("verify a.st --on ./none.so"), "./none.so");
  expect_refused(chainwalk("verify a.st --on oracle:threads=2"), "threads=2");
  expect_refused(chainwalk("verify a.st --on reference:speed=9"), "speed=9");
  expect_refused(chainwalk("verify a.st --on reference:threads"), "key=value");
  expect_refused(chainwalk("verify a.st --isa mmx"), "mmx");
}

}  // namespace
}  // namespace chainwalk::cli
