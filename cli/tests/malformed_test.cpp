// SPDX-License-Identifier: Apache-2.0
// Malformed input of every kind: status 2, a message that names the thing, and nothing written.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "command_line.h"

namespace chainwalk::cli {
namespace {

struct Input {
  const char* what;
  const char* content;
  const char* said;
};

class Malformed : public CommandLine {
 protected:
  // A refusal that left the folder as it was.
  void expect_untouched(const std::string& arguments, const std::string& said) {
    SCOPED_TRACE(arguments);
    const auto listed = [&] {
      const auto all = names();
      return std::multiset<std::string>(all.begin(), all.end());
    };
    const auto before = listed();
    const CommandResult result = chainwalk(arguments);
    expect_refused(result, said);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(listed(), before);
  }
};

constexpr Input waivers[] = {
    {"empty", "", "not JSON"},
    {"text", "waive it all", "not JSON"},
    {"cut", R"({"waivers": [)", "not JSON"},
    {"list", "[]", "an object"},
    {"number", "7", "an object"},
    {"null", "null", "an object"},
    {"string", "\"x\"", "an object"},
    {"other_key", R"({"waiver": []})", "an object"},
    {"extra_key", R"({"waivers": [], "more": 1})", "an object"},
    {"not_list", R"({"waivers": {}})", "a list"},
    {"entry_number", R"({"waivers": [1]})", "waiver 1 is not an object"},
    {"entry_unknown", R"({"waivers": [{"rul": "ARI-4"}]})", "unknown field \"rul\""},
    {"neither", R"({"waivers": [{"reason": "r", "link": "l", "expires": "2999-01-01"}]})",
     "either a rule or a case"},
    {"both",
     R"({"waivers": [{"rule": "ARI-4", "case": "x", "reason": "r", "link": "l", "expires": "2999-01-01"}]})",
     "either a rule or a case"},
    {"rule_unknown",
     R"({"waivers": [{"rule": "ARI-99", "reason": "r", "link": "l", "expires": "2999-01-01"}]})",
     "ARI-99"},
    {"no_reason", R"({"waivers": [{"rule": "ARI-4", "link": "l", "expires": "2999-01-01"}]})",
     "no \"reason\""},
    {"empty_reason",
     R"({"waivers": [{"rule": "ARI-4", "reason": "", "link": "l", "expires": "2999-01-01"}]})",
     "\"reason\""},
    {"no_link", R"({"waivers": [{"rule": "ARI-4", "reason": "r", "expires": "2999-01-01"}]})",
     "no \"link\""},
    {"no_date", R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l"}]})",
     "no \"expires\""},
    {"date_text",
     R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l", "expires": "soon"}]})",
     "\"soon\""},
    {"date_month",
     R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l", "expires": "2999-13-01"}]})",
     "2999-13-01"},
    {"date_number",
     R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l", "expires": 2999}]})",
     "\"expires\""},
    {"expired",
     R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l", "expires": "2020-01-01"}]})",
     "expired on 2020-01-01"},
    {"class_text",
     R"({"waivers": [{"rule": "ARI-4", "reason": "r", "link": "l", "expires": "2999-01-01", "crash_class": "yes"}]})",
     "crash_class"},
    {"rule_number",
     R"({"waivers": [{"rule": 4, "reason": "r", "link": "l", "expires": "2999-01-01"}]})",
     "\"rule\""},
};

TEST_F(Malformed, Waivers) {
  for (const Input& input : waivers) {
    write_text(path("w.json"), input.content);
    expect_untouched("conform --waivers w.json", input.said);
  }
  fs::remove(path("w.json"));
  expect_untouched("conform --waivers w.json", "w.json");
  expect_untouched("conform --waivers .", "not a regular file");
}

// Header length, header, data of a safetensors file.
std::string container(const std::string& header, const std::string& data = "") {
  std::string text(8, '\0');
  for (std::size_t byte = 0; byte < 8; ++byte)
    text[byte] = static_cast<char>((header.size() >> (8 * byte)) & 255U);
  return text + header + data;
}

TEST_F(Malformed, ProblemsAndReplays) {
  const std::array contents{
      std::string(),
      std::string("x"),
      std::string(8, '\0'),
      std::string(8, '\xFF') + "{}",
      container("{"),
      container("[]"),
      container("null"),
      container("{}"),
      container(R"({"__metadata__": 1})"),
      container(R"({"bank_before": {}})"),
      container(R"({"bank_before": {"dtype": "BF16", "shape": [-1, 2], "data_offsets": [0, 4]}})",
                "abcd"),
      container(R"({"bank_before": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 400]}})",
                "abcd"),
      container(R"({"bank_before": {"dtype": "Q9", "shape": [1, 2], "data_offsets": [0, 4]}})",
                "abcd"),
      container(R"({"bank_before": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]}})",
                "abcdefgh"),
      std::string(4096, '\x7F')};
  for (const std::string& content : contents) {
    write_text(path("p.st"), content);
    expect_untouched("verify p.st", "p.st");
    expect_untouched("replay p.st", "p.st");
  }
  expect_untouched("replay none.st", "none.st");
  ASSERT_EQ(chainwalk("generate -o fine.st").status, 0);
  expect_untouched("replay fine.st", "not a replay file");
  const std::string whole = read_text(path("fine.st"));
  write_text(path("cut.st"), whole.substr(0, whole.size() - 1));
  expect_untouched("verify cut.st", "cut.st");
  write_text(path("long.st"), whole + "x");
  expect_untouched("verify long.st", "long.st");
}

// A replay whose metadata or content is changed by Python lines on `text`, the file's bytes.
TEST_F(Malformed, ReplaysOfProblemsThatCannotRun) {
  EXPECT_EQ(
      chainwalk("conform --on wrong:rule=store-ties-away --shard 0/20 --jobs 1 --report r").status,
      1);
  const auto changed = [&](const std::string& edit) {
    write_text(path("edit.py"),
               "import glob, json, struct\n"
               "raw = open(sorted(glob.glob('r/*.safetensors'))[0], 'rb').read()\n"
               "size = struct.unpack('<Q', raw[:8])[0]\n"
               "head = json.loads(raw[8:8 + size]); data = bytearray(raw[8 + size:])\n" +
                   edit +
                   "\ntext = json.dumps(head).encode()\n"
                   "open('p.st', 'wb').write(struct.pack('<Q', len(text)) + text + data)\n");
    ASSERT_EQ(shell("python3 edit.py").status, 0);
  };
  changed("");
  EXPECT_EQ(chainwalk("replay p.st").status, 1);
  changed("head['__metadata__']['num_parallel'] = '0'");
  expect_untouched("replay p.st", "num_parallel is 0");
  changed(
      "at = head['records']['data_offsets'][0]\n"
      "for record in range(at, head['records']['data_offsets'][1], 16):\n"
      "  data[record + 4:record + 8] = b'\\xff\\xff\\xff\\x7f'");
  expect_untouched("replay p.st", "REC-5");
}

// Replay files that fuzzing has found.
TEST_F(Malformed, FoundByFuzzing) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(CHAINWALK_REGRESSIONS "/replay")) {
    ++files;
    expect_untouched("replay '" + entry.path().string() + "'", entry.path().string());
  }
  EXPECT_GT(files, 0U);
}

TEST_F(Malformed, JsonThatNestsOrCountsBeyondReason) {
  ASSERT_EQ(chainwalk("conform --on reference --shard 0/60 --jobs 1 --report r").status, 0);
  const std::string report = read_text(path("r") / "report.json");
  const auto replaced = [](std::string text, const std::string& part, const std::string& with) {
    const std::size_t at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), with);
  };
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  for (const auto& [part, with] :
       {std::pair<std::string, std::string>{"\"version\": 1", "\"version\": " + deep},
        {"\"cases\": [", "\"cases\": [" + deep + ","},
        {"\"seed\": ", "\"seed\": 1e300, \"was\": "},
        {"\"claim\": \"\"", "\"claim\": \"bf61\""},
        {"\"seed\": ", "\"seed\": -1, \"was\": "},
        {"\"suite_version\": 1", "\"suite_version\": 4294967297"},
        {"\"head_dim\": ", "\"head_dim\": 1e300, \"was\": "},
        {"\"output_hash\": ", "\"output_hash\": 0.5, \"was\": "}}) {
    write_text(path("b.json"), replaced(report, part, with));
    expect_untouched("compare r/report.json b.json", "report b.json: ");
  }
  const std::string journal = read_text(path("r") / "journal.jsonl");
  const std::string header = journal.substr(0, journal.find('\n') + 1);
  for (const std::string& text :
       {"{\"run\": " + deep + "}\n", header + "{\"end\": " + deep + "}\n"}) {
    write_text(path("r") / "journal.jsonl", text);
    expect_refused(chainwalk("conform --on reference --shard 0/60 --report r --resume"), "nests");
  }
  const std::string list = std::string(50000, '[') + std::string(50000, ']');
  expect_untouched("generate -o x.st --head-dim " + list, "--head-dim");
  expect_untouched("generate -o x.st --parameters '{\"head_dim\": " + list + "}'", "--parameters");
}

TEST_F(Malformed, SharedObjects) {
  const std::array<std::array<const char*, 2>, 9> odd{{{"null_table", "returned null"},
                                                       {"wrong_version", "interface_version 2"},
                                                       {"short_table", "size 8"},
                                                       {"null_name", "must not be null"},
                                                       {"memory", "memory is 7"},
                                                       {"null_function", "every function"},
                                                       {"null_text", "gave no text"},
                                                       {"null_session", "cannot be opened"},
                                                       {"no_symbol", "no symbol"}}};
  for (const auto& [name, said] : odd)
    expect_untouched(std::string("conform --on " CHAINWALK_PLUGINS "/odd_") + name + ".so", said);
  write_text(path("text.so"), "not an object file");
  expect_untouched("conform --on ./text.so", "cannot be loaded");
  write_text(path("empty.so"), "");
  expect_untouched("conform --on ./empty.so", "cannot be loaded");
  expect_untouched("conform --on ./none.so", "no such file");
  expect_untouched("conform --on .", "'.' is not known");
  expect_untouched("conform --on nosuch", "'nosuch' is not known");
  expect_untouched("conform --on reference:threads=x", "threads");
  expect_untouched("conform --on reference:speed=1", "speed=1");
  expect_untouched("conform --on wrong:rule=no-such-rule", "no-such-rule");
}

TEST_F(Malformed, Options) {
  constexpr std::array<std::array<const char*, 2>, 16> wrong{
      {{"--profile brisk", "brisk"},
       {"--seed minus", "minus"},
       {"--seed -1", "--seed"},
       {"--shard 3/3", "3/3"},
       {"--shard -1/3", "-1/3"},
       {"--shard 1", "'1'"},
       {"--shard 0/0", "0/0"},
       {"--shard a/b", "a/b"},
       {"--jobs many", "many"},
       {"--case-seconds 0", "--case-seconds"},
       {"--case-seconds -3", "--case-seconds"},
       {"--time-budget no", "no"},
       {"--claim bf61", "bf61"},
       {"--claim bf16,,none", "claim"},
       {"--nosuch", "--nosuch"},
       {"stray", "stray"}}};
  for (const auto& [option, said] : wrong) expect_untouched(std::string("conform ") + option, said);
}

TEST_F(Malformed, Workers) {
  // The shell's own descriptor 3 must not pass for a run's.
  expect_untouched("worker 3>&-", "descriptor 3");
  expect_untouched("worker --problems 3>&-", "descriptor 3");
  expect_untouched("worker --judge no-such-case 3>&1 </dev/null", "'no-such-case'");
  expect_untouched("worker --on nosuch 3>&1 </dev/null", "'nosuch' is not known");
}

TEST_F(Malformed, Journals) {
  ASSERT_EQ(chainwalk("conform --on reference --shard 0/60 --report run").status, 0);
  const std::string journal = read_text(path("run") / "journal.jsonl");
  const std::string header = journal.substr(0, journal.find('\n') + 1);
  const std::array contents{
      std::string("x\n"),   std::string("{}\n"),        std::string("[]\n"),
      header + "no JSON\n", header + "{\"end\": {}}\n", header + "{\"end\": {\"case\": 3}}\n",
      header + "[1]\n"};
  for (const std::string& content : contents) {
    write_text(path("run") / "journal.jsonl", content);
    const std::string report = read_text(path("run") / "report.json");
    expect_refused(chainwalk("conform --on reference --shard 0/60 --report run --resume"), "");
    EXPECT_EQ(read_text(path("run") / "journal.jsonl"), content);
    EXPECT_EQ(read_text(path("run") / "report.json"), report);
  }
}

TEST_F(Malformed, RanksThatCannotFindEachOther) {
  // A program without its module beside it, as a build without MPI leaves it.
  fs::create_directory(path("bin"));
  fs::copy_file(CHAINWALK_BINARY, path("bin") / "chainwalk");
  expect_refused(shell("OMPI_COMM_WORLD_SIZE=2 bin/chainwalk fuzz --cases 1"), "without MPI");
  expect_refused(shell("OMPI_COMM_WORLD_SIZE=two bin/chainwalk fuzz --cases 1"), "'two'");
  EXPECT_EQ(names(), std::vector<std::string>{"bin"});
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 bin/chainwalk fuzz --cases 1").status, 0);
  expect_refused(chainwalk("fuzz --silence 0"), "--silence");
}

TEST_F(Malformed, PlacesThatCannotBeWritten) {
  write_text(path("file"), "mine");
  expect_untouched("conform --on reference --report file", "file");
  expect_untouched("conform --on reference --report file/below", "file");
  expect_untouched("conform --on reference --report /proc/nothing", "/proc/nothing");
  EXPECT_EQ(read_text(path("file")), "mine");
  expect_refused(
      chainwalk("conform --on reference --shard 0/60 --report full --json", ">/dev/full"),
      "standard output");
  // The report of a run whose standard output failed is whole.
  EXPECT_NE(read_text(path("full") / "report.json").find("\"conforms\""), std::string::npos);
}

TEST_F(Malformed, FullDiskLosesNothing) {
  // 16 blocks of 1024 bytes: the journal stops in the middle; SIGXFSZ ignored makes it an error.
  const CommandResult result = shell("(trap '' XFSZ; ulimit -f 16; exec " CHAINWALK_BINARY
                                     " conform --on reference --jobs 1 --report disk)");
  expect_refused(result, "disk");
  EXPECT_FALSE(fs::exists(path("disk") / "report.json"));
  // What the journal holds counts when there is room again.
  const CommandResult resumed = chainwalk("conform --on reference --report disk --resume --json");
  EXPECT_EQ(resumed.status, 0) << resumed.err;
  EXPECT_GT(nlohmann::json::parse(resumed.out)["run"]["resumed"].get<int>(), 5);
}

}  // namespace
}  // namespace chainwalk::cli
