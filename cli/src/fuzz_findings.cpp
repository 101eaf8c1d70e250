// SPDX-License-Identifier: Apache-2.0
// Findings are shrunk one after the other; their files are replaced as they get smaller.
#include "fuzz_findings.h"

#include <set>

#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/shrink.h"
#include "chainwalk/fuzz/corpus.h"
#include "output.h"
#include "shell_word.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

// The implementation with what else the case chose: "emulator:threads=1,schedule=...".
std::string label_with(std::string label, const std::vector<std::string>& options) {
  for (const std::string& option : options)
    label += (label.find(':', label.rfind('/') == std::string::npos ? 0 : label.rfind('/')) ==
                      std::string::npos
                  ? ":"
                  : ",") +
             option;
  return label;
}

void save_replay(const fuzz::Ledger& ledger, const fuzz::Finding& finding,
                 const fuzz::SmallCase& small, const std::string& original,
                 const std::filesystem::path& path) {
  conformance::ReplayNote note;
  note.case_id = fmt::format("fuzz/{}/{}", ledger.header().campaign, finding.judgement.key);
  note.implementation = label_with(ledger.header().implementation, small.fuzz_case.options);
  note.diagnosis = small.judgement.diagnosis;
  note.text = small.judgement.text;
  note.original = small.steps == 0 ? "" : original;
  if (!small.fuzz_case.big_rows.empty())
    note.sparse_bank = std::to_string(small.fuzz_case.big_word);
  note.request_edits = to_string(small.fuzz_case.edits);
  conformance::write_replay(path, small.fuzz_case.problem, note);
}

}  // namespace

std::filesystem::path findings_folder(const std::filesystem::path& corpus) {
  return corpus / "findings";
}

FindingFiles files_of(const std::filesystem::path& corpus, const std::string& key) {
  const std::filesystem::path folder = findings_folder(corpus);
  return {key, folder / (key + ".safetensors"), folder / (key + ".txt")};
}

void write_findings(const fuzz::Ledger& ledger, fuzz::Pool& pool,
                    const std::filesystem::path& corpus, const fuzz::ShrinkLimits& limits,
                    const std::function<bool()>& stop,
                    const std::function<void(const std::string&)>& note) {
  const auto try_case = [&](const fuzz::FuzzCase& fuzz_case, double hang_seconds) {
    // A judgement without a key ends nothing and keeps nothing: shrinking runs out at once.
    return stop() ? fuzz::Judgement{} : pool.try_case(fuzz_case, hang_seconds);
  };
  for (const auto& [key, finding] : ledger.total().findings) {
    const FindingFiles files = files_of(corpus, key);
    if (stop() || std::filesystem::exists(files.text)) continue;
    std::filesystem::create_directories(files.text.parent_path());
    const fuzz::FuzzCase found = ledger.case_at(finding.first);
    const std::string original = conformance::size_phrase(found.problem.shape);
    std::int64_t shown = 0;
    const auto better = [&](const fuzz::SmallCase& small) {
      save_replay(ledger, finding, small, original, files.replay);
      note(fmt::format("shrinking {}, {} better", key, shown++));
    };
    const fuzz::SmallCase small = fuzz::shrink_finding(finding, found, try_case, limits, better);
    if (stop()) return;
    write_file(files.text,
               fuzz::finding_text(finding, small, ledger.header().implementation,
                                  "chainwalk replay " + shell_word(files.replay.string())));
  }
}

void write_cases(const fuzz::Ledger& ledger, const std::filesystem::path& corpus) {
  const std::filesystem::path folder = corpus / "cases";
  std::filesystem::create_directories(folder);
  std::set<std::filesystem::path> kept;
  for (const fuzz::CorpusCase& one : fuzz::minimal_corpus(ledger)) {
    const std::filesystem::path path = folder / (one.name + ".safetensors");
    kept.insert(path);
    conformance::ReplayNote note;
    note.case_id = fmt::format("fuzz/{}/epoch {}/{}", ledger.header().campaign, one.place.epoch,
                               one.place.index);
    note.implementation = label_with(ledger.header().implementation, one.fuzz_case.options);
    note.text = one.name;
    if (!one.fuzz_case.big_rows.empty()) note.sparse_bank = std::to_string(one.fuzz_case.big_word);
    note.request_edits = to_string(one.fuzz_case.edits);
    conformance::write_replay(path, one.fuzz_case.problem, note);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors" && !kept.contains(entry.path()))
      std::filesystem::remove(entry.path());
  }
}

}  // namespace chainwalk::cli
