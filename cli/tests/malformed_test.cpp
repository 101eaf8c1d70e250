// SPDX-License-Identifier: Apache-2.0
// Malformed input of every kind: status 2, a message that names the thing, and nothing written.
#include "malformed.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace chainwalk::cli {
namespace {

struct Input {
  const char* what;
  const char* content;
  const char* said;
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
    expect_malformed(chainwalk("conform --on reference --shard 0/60 --report r --resume"), "nests");
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

// An implementation that ends or blocks the process that opens it must not take the program along.
TEST_F(Malformed, SharedObjectsThatCannotBeOpened) {
  const std::string rude = "conform --case-seconds 2 --on " CHAINWALK_PLUGINS "/rude.so";
  expect_untouched(rude + ":rude=exits-in-open", "rude.so:rude=exits-in-open ends the process");
  expect_untouched(rude + ":rude=crashes-in-open", "signal 11");
  expect_untouched(rude + ":rude=throws-in-open 2>&1 | tail -n 1 >&2; exit 2", "signal 6");
  expect_untouched(rude + ":rude=hangs-in-open", "is not open after 2 s");
  expect_untouched(rude + ":speed=1", "speed=1");
  for (const auto& [how, said] :
       {std::pair{"exit", "exit status 0"}, {"crash", "signal 11"}, {"hang", "is not open after"}})
    expect_untouched(rude, said, std::string("RUDE_ON_LOAD=") + how + " ");
}

TEST_F(Malformed, Options) {
  constexpr std::array<std::array<const char*, 2>, 31> wrong{
      {{"--profile brisk", "brisk"},
       {"--seed minus", "minus"},
       {"--seed -1", "-1 is no whole number"},
       {"--seed 18446744073709551616", "18446744073709551616"},
       {"--seed 1e3", "1e3 is no whole number"},
       {"--shard 3/3", "3/3"},
       {"--shard -1/3", "-1/3"},
       {"--shard 1", "'1'"},
       {"--shard 0/0", "0/0"},
       {"--shard a/b", "a/b"},
       {"--shard 0/3x", "0/3x"},
       {"--shard 9223372036854775808/9223372036854775809", "9223372036854775808"},
       {"--shard 600/700", "shard 600/700 has no case"},
       {"--jobs many", "many"},
       {"--jobs -2", "-2"},
       {"--jobs 1025", "1025"},
       {"--jobs 99999999999", "99999999999"},
       {"--case-seconds 0", "0 is not a number of seconds"},
       {"--case-seconds -3", "-3 is not a number of seconds"},
       {"--case-seconds nan", "nan is not a number of seconds"},
       {"--case-seconds 1e300", "1e300 is not a number of seconds"},
       {"--time-budget no", "no is not a number of seconds"},
       {"--time-budget -1", "-1 is not a number of seconds"},
       {"--max-memory lots", "lots"},
       {"--max-memory -1", "-1 is no whole number"},
       {"--worker-memory -1", "-1"},
       {"--claim bf61", "bf61"},
       {"--claim bf16,,none", "claim"},
       {"--waivers", "--waivers"},
       {"--nosuch", "--nosuch"},
       {"stray", "stray"}}};
  for (const auto& [option, said] : wrong) expect_untouched(std::string("conform ") + option, said);
}

TEST_F(Malformed, Workers) {
  // The shell's own descriptor 3 must not pass for a run's.
  expect_untouched("worker 3>&-", "descriptor 3");
  expect_untouched("worker --problems 3>&-", "descriptor 3");
  expect_untouched("worker --judge no-such-case 3>/dev/null </dev/null", "'no-such-case'");
  expect_untouched("worker --on nosuch 3>/dev/null </dev/null", "'nosuch' is not known");
}

TEST_F(Malformed, Journals) {
  ASSERT_EQ(chainwalk("conform --on reference --shard 0/60 --report run").status, 0);
  const std::string journal = read_text(path("run") / "journal.jsonl");
  const std::string header = journal.substr(0, journal.find('\n') + 1);
  const std::string resume = "conform --on reference --shard 0/60 --report run --resume";
  const std::array<std::array<std::string, 2>, 9> contents{
      {{"x\n", "line 1 is not a JSON object"},
       {"{}\n", "line 1 does not say what run it is of"},
       {"[]\n", "line 1 is not a JSON object"},
       {"{\"run\": 7}\n", "it is of another run: 7"},
       {header + "no JSON\n", "line 2 is not a JSON object"},
       {header + "{\"end\": {}}\n", "line 2: not a case result"},
       {header + "{\"end\": {\"case\": 3}}\n", "line 2: not a case result"},
       {header + "[1]\n", "line 2 is not a JSON object"},
       {journal + std::string(64, '\0') + "\n", "line "}}};
  for (const auto& [content, said] : contents) {
    write_text(path("run") / "journal.jsonl", content);
    expect_untouched(resume, "run/journal.jsonl: " + said);
  }
  write_text(path("run") / "journal.jsonl", journal);
  for (const std::string other :
       {"--on oracle --shard 0/60", "--on reference --shard 1/60",
        "--on reference --shard 0/60 --seed 2", "--on reference --shard 0/60 --profile full"}) {
    expect_untouched("conform --report run --resume " + other, "it is of another run");
  }
  expect_untouched("conform --on reference --shard 0/60 --report run", "it exists already");
  fs::remove(path("run") / "journal.jsonl");
  fs::create_directory(path("run") / "journal.jsonl");
  expect_untouched(resume, "run/journal.jsonl");
}

TEST_F(Malformed, RanksThatCannotFindEachOther) {
  // A program without its module beside it, as a build without MPI leaves it.
  fs::create_directory(path("bin"));
  fs::copy_file(CHAINWALK_BINARY, path("bin") / "chainwalk");
  expect_malformed(shell("OMPI_COMM_WORLD_SIZE=2 bin/chainwalk fuzz --cases 1"), "without MPI");
  expect_malformed(shell("OMPI_COMM_WORLD_SIZE=two bin/chainwalk fuzz --cases 1"), "'two'");
  EXPECT_EQ(names(), std::vector<std::string>{"bin"});
  EXPECT_EQ(shell("OMPI_COMM_WORLD_SIZE=1 bin/chainwalk fuzz --cases 1").status, 0);
  expect_malformed(chainwalk("fuzz --silence 0"), "--silence");
}

// How many there were: looked at where all of them ran, in one process.
class Count : public testing::Environment {
 public:
  void TearDown() override {
    const auto& all = *testing::UnitTest::GetInstance();
    int wanted = 0;
    for (int index = 0; index < all.total_test_suite_count(); ++index) {
      const testing::TestSuite& suite = *all.GetTestSuite(index);
      if (std::string(suite.name()) != "Malformed") continue;
      if (suite.test_to_run_count() != suite.total_test_count()) return;
      wanted = 100;
    }
    int inputs = 0;
    for (const auto& [test, count] : malformed_inputs()) {
      std::printf("%4d  %s\n", count, test.c_str());
      inputs += count;
    }
    std::printf("%4d malformed inputs\n", inputs);
    EXPECT_GE(inputs, wanted);
  }
};
[[maybe_unused]] const auto* const count = testing::AddGlobalTestEnvironment(new Count);

}  // namespace
}  // namespace chainwalk::cli
