// SPDX-License-Identifier: Apache-2.0
// Writes the inputs that fuzzing starts from, a folder a target, by the project's own writers.
// Usage: format_seeds FOLDER
#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <span>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/report.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/package/archive.h"
#include "chainwalk/platform/atomic_file.h"
#include "chainwalk/reference/reference.h"
#include "json_mutator.h"
#include "seed_ledger.h"
#include "seed_run.h"
#include "tar.h"

namespace {

using namespace chainwalk;
using conformance::CaseResult;
using conformance::Verdict;
using format_fuzz::Json;
namespace fs = std::filesystem;

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  platform::AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::vector<Problem> small_problems() {
  std::vector<Problem> problems;
  for (const BankType bank : {BankType::bf16, BankType::f32}) {
    for (const SnapshotForm form : {SnapshotForm::none, SnapshotForm::raw, SnapshotForm::bf16,
                                    SnapshotForm::fp8, SnapshotForm::int4}) {
      if (form == SnapshotForm::bf16 && bank != BankType::f32) continue;
      generate::Parameters parameters;
      parameters.bank_type = bank;
      parameters.snapshot = form;
      parameters.head_dim = 1 + static_cast<std::int64_t>(problems.size()) % 4;
      parameters.slots = 8;
      parameters.num_parallel = 1 + static_cast<std::int64_t>(problems.size()) % 2;
      parameters.steps = 1;
      parameters.chunk_size = 2;
      parameters.positions = 4;
      parameters.warps_per_block = 4;
      parameters.blocks_per_chunk = 1;
      problems.push_back(generate::make_problem(parameters, 1, problems.size()));
    }
  }
  return problems;
}

CaseResult seed_result(Verdict verdict) {
  CaseResult result;
  result.case_id = fmt::format("ARI/seed/{}", static_cast<int>(verdict));
  result.verdict = verdict;
  result.rules = {"ARI-4", "QNT-10"};
  result.text = "3 elements equal";
  if (verdict == Verdict::fail) {
    result.difference = conformance::Difference{"bank", 0, 0, "0x3F80", "0x3F81", 1};
    result.diagnosis = "no restart after an invalid LAST (ARI-4)";
    result.broken_rules = {"ARI-4"};
    result.replay_file = "replay.safetensors";
  }
  result.coordinates = {"bf16", "fp8", "regular", 64, "nw 8, K 2"};
  result.seconds = 0.5;
  result.output_hash = 0x0123456789ABCDEF;
  return result;
}

void write_problems(const fs::path& folder) {
  std::size_t number = 0;
  for (const Problem& problem : small_problems()) {
    const std::string name = fmt::format("{}.safetensors", number++);
    Capture capture;
    capture.problem = problem;
    const OutputBuffers outputs(problem);
    reference::run(problem, outputs.views(), {.threads = 1});
    capture.expected = outputs.views();
    capture.has_expected = number % 2 == 0;
    capture.device = "none";
    fs::create_directories(folder / "capture");
    write_capture(folder / "capture" / name, capture);
    fs::create_directories(folder / "replay");
    const std::string result =
        number % 3 == 0 ? "" : conformance::to_json_line(seed_result(Verdict::fail));
    conformance::write_replay(folder / "replay" / name, problem,
                              {"ARI/seed/1", "reference", "", "differs", "larger", result});
  }
}

void write_results(const fs::path& folder) {
  conformance::RunOutcome run;
  run.header = format_fuzz::seed_header();
  Json journal = Json::array({{{"run",
                                {{"suite_version", run.header.suite_version},
                                 {"specification_version", run.header.specification_version},
                                 {"implementation", run.header.implementation},
                                 {"profile", run.header.profile},
                                 {"seed", run.header.seed},
                                 {"shard_index", run.header.shard_index},
                                 {"shard_count", run.header.shard_count}}}}});
  for (const Verdict verdict : {Verdict::pass, Verdict::fail, Verdict::unsupported}) {
    run.results.push_back(seed_result(verdict));
    journal.push_back({{"begin", run.results.back().case_id}});
    journal.push_back({{"end", Json::parse(conformance::to_json_line(run.results.back()))}});
  }
  const std::string report = conformance::report_json(
      conformance::make_report(run, {{"compiler", "any"}}, "bf16,fp8", {}));
  std::string lines;
  for (const Json& line : journal) lines += line.dump() + "\n";
  write(folder / "report" / "report.json", report);
  write(folder / "journal" / "journal.jsonl", lines);
  write(folder / "package" / "honest.json",
        Json({{"report", Json::parse(report)}, {"journal", journal}}).dump());
  write(folder / "package" / "manifest.json",
        Json({{"report", Json::parse(report)},
              {"manifest",
               {{"format", "chainwalk-package"},
                {"version", 1},
                {"files", {{{"name", "report.json"}, {"bytes", 1}, {"sha256", "00"}}}}}}})
            .dump());
  const format_fuzz::NamedTexts texts{{"manifest.json", "{}"},
                                      {"report.json", report.substr(0, 300)}};
  write(folder / "archive" / "plain.tar", format_fuzz::tar_of(texts));
  std::vector<package::ArchiveFile> files;
  for (const auto& [name, content] : texts) files.push_back({name, content, content.size(), ""});
  package::write_archive(folder / "archive" / "small.tar.gz", files);
  package::write_archive(folder / "archive" / "small.zip", files);
}

// A campaign at its beginning, and one with an epoch, findings and edges behind it.
void write_ledgers(const fs::path& folder) {
  fs::create_directories(folder / "ledger");
  const fs::path file = fuzz::ledger_file(folder / "ledger");
  fuzz::Ledger ledger(format_fuzz::seed_ledger_header(), folder / "ledger");
  ledger.save();
  fs::rename(file, folder / "ledger" / "begun.json");
  for (int ranges = 0; ranges < 34; ++ranges) {
    const fuzz::Range range = ledger.take(std::numeric_limits<std::int64_t>::max()).value();
    fuzz::RangeOutcome outcome;
    outcome.cases = range.count;
    for (std::int64_t index = range.first; index < range.first + range.count; ++index) {
      const std::uint32_t edge = static_cast<std::uint32_t>(index) % 3;
      outcome.coverage.add({range.epoch, index}, fuzz::FeatureSet(edge), std::span(&edge, 1));
    }
    fuzz::Finding finding{{}, {range.epoch, range.first}, 1};
    finding.judgement.verdict = Verdict::fail;
    finding.judgement.key = "wrong-bank";
    finding.judgement.difference = seed_result(Verdict::fail).difference;
    fuzz::merge(outcome.findings, {{finding.judgement.key, finding}});
    (void)ledger.finish(range, outcome);
  }
  ledger.save();
  fs::rename(file, folder / "ledger" / "continued.json");
}

void write_texts(const fs::path& folder) {
  const Json by_rule{{"rule", "ARI-4"},
                     {"reason", "known"},
                     {"link", "tracker/1"},
                     {"expires", "2999-01-31"},
                     {"crash_class", true}};
  const Json by_case{{"case", "ARI/restart*"},
                     {"reason", "known"},
                     {"link", "tracker/2"},
                     {"expires", "2999-12-01"}};
  write(folder / "waivers" / "two.json", Json({{"waivers", {by_rule, by_case}}}).dump());
  for (std::uint64_t index = 0; index < 4; ++index) {
    write(folder / "parameters" / fmt::format("{}.json", index),
          generate::to_json(generate::draw_parameters(1, index)));
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fputs("usage: format_seeds FOLDER\n", stderr);
    return 2;
  }
  write_problems(arguments[1]);
  write_results(arguments[1]);
  write_ledgers(arguments[1]);
  write_texts(arguments[1]);
  return 0;
}
