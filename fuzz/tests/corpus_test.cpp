// SPDX-License-Identifier: Apache-2.0
// Replays fuzz/corpus: every file on every implementation of the build that takes it, and a file
// that is named after a wrong rule must still convict that rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/adapters/adapters.h"
#include "chainwalk/conformance/compare.h"
#include "chainwalk/conformance/diagnose.h"
#include "chainwalk/fuzz/examine.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::fuzz {
namespace {

std::vector<std::filesystem::path> corpus_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(CHAINWALK_FUZZ_CORPUS)) {
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class CorpusFile : public ::testing::TestWithParam<std::filesystem::path> {
 protected:
  // The case of the file, rows at the borders of a sparse bank where it says so.
  FuzzCase fuzz_case() const {
    const Capture capture = read_capture(GetParam());
    FuzzCase like;
    const auto word = capture.metadata.find("replay_sparse_bank");
    if (word != capture.metadata.end() && !word->second.empty()) {
      like.big_word = std::stoull(word->second);
      like.big_rows = {0};
    }
    const auto edits = capture.metadata.find("replay_request_edits");
    if (edits != capture.metadata.end()) like.edits = parse_request_edits(edits->second);
    return dressed(capture.problem, like);
  }
};

TEST_P(CorpusFile, HoldsAProblemThatIsWellFormedButForItsFlags) {
  for (const InputFault& fault : validate(fuzz_case().problem, {.max_faults = 1 << 20}))
    EXPECT_EQ(fault.rule, "REC-6") << fault.message;
}

TEST_P(CorpusFile, IsTheSameOnEveryImplementation) {
  const FuzzCase made = fuzz_case();
  int passed = 0;
  for (const cw_implementation* table : adapters::implementations()) {
    if (table->memory != CW_MEMORY_HOST || std::string(table->name) == "wrong") continue;
    conformance::Implementation implementation;
    implementation.table = table;
    Examiner examiner(implementation, oracle::run);
    const Judgement judgement = examiner.examine(made);
    passed += judgement.verdict == conformance::Verdict::pass;
    if (judgement.verdict == conformance::Verdict::unsupported) continue;
    EXPECT_EQ(judgement.verdict, conformance::Verdict::pass)
        << table->name << ": " << judgement.text << " " << judgement.diagnosis;
  }
  EXPECT_GE(passed, 2);  // the two models, at the least
}

TEST_P(CorpusFile, ConvictsTheWrongRuleOfItsName) {
  const std::string name = GetParam().stem().string();
  const auto rules = conformance::wrong_rules();
  const auto rule =
      std::find_if(rules.begin(), rules.end(), [&](const auto& one) { return one.id == name; });
  const FuzzCase made = fuzz_case();
  if (rule == rules.end() || !made.big_rows.empty() || !made.edits.empty())
    return;  // named after something else
  const OutputBuffers expected(made.problem);
  const OutputBuffers actual(made.problem);
  reference::run(made.problem, expected.views(), {.threads = 1});
  const auto index = static_cast<std::size_t>(rule - rules.begin());
  conformance::run_wrong(made.problem, actual.views(), std::span(&index, 1));
  EXPECT_FALSE(conformance::compare(made.problem, expected.views(), actual.views(),
                                    {OutputBuffers::default_poison})
                   .equal());
}

INSTANTIATE_TEST_SUITE_P(Fuzz, CorpusFile, ::testing::ValuesIn(corpus_files()),
                         [](const auto& file) {
                           std::string name = file.param.stem().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace chainwalk::fuzz
