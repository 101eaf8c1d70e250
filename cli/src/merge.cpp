// SPDX-License-Identifier: Apache-2.0
// chainwalk merge: the shards of one run, perhaps from several machines, as one report.
#include <map>
#include <memory>

#include "chainwalk/spec/fault.h"
#include "command.h"
#include "output.h"
#include "report_files.h"
#include "shrink_failures.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

namespace fs = std::filesystem;
using conformance::CaseResult;
using conformance::NamedReport;

struct MergeCommand {
  std::vector<std::string> folders;
  std::string output;
  bool json = false;
};

// Files of the merged folder by name, read before anything is written.
using Files = std::map<std::string, std::string>;

// The journals one after the other, so that a package of the merged report can be checked like any
// other. Their first lines say which shard each is of; the merged journal says what they share.
std::string merged_journal(const std::vector<std::string>& folders) {
  std::string text;
  for (const std::string& folder : folders) {
    const fs::path path = fs::path(folder) / "journal.jsonl";
    const std::string journal = read_text(path);
    const std::size_t header_end = journal.find('\n');
    const Json header = Json::parse(journal.substr(0, header_end), nullptr, false);
    if (header_end == std::string::npos || !header.is_object() || !header.contains("run") ||
        !header["run"].is_object()) {
      throw InputError(
          {"JOURNAL", std::nullopt, std::nullopt,
           fmt::format("journal {}: line 1 does not say what run it is of", path.string())});
    }
    if (text.empty()) {
      Json whole = header;
      whole["run"]["shard_index"] = 0;
      whole["run"]["shard_count"] = 1;
      text = whole.dump() + "\n";
    }
    text += journal.substr(header_end + 1);
  }
  return text;
}

// Replay files lie beside the merged report and are named there.
void take_replays(const std::string& folder, NamedReport& shard, const fs::path& output,
                  Files& files) {
  for (CaseResult& result : shard.report.run.results) {
    if (result.replay_file.empty()) continue;
    const std::string name = fs::path(result.replay_file).filename().string();
    files[name] = read_text(fs::path(folder) / name);
    result.replay_file = (output / name).string();
  }
}

int merge(const MergeCommand& command) {
  const fs::path output(command.output);
  std::error_code ignored;
  if (fs::exists(output / "report.json", ignored)) {
    throw InputError(
        {"MERGE", std::nullopt, std::nullopt,
         fmt::format("{} holds a report already; name another folder", output.string())});
  }
  Files files;
  std::vector<NamedReport> shards;
  for (const std::string& folder : command.folders) {
    shards.push_back({folder, read_report(folder)});
    take_replays(folder, shards.back(), output, files);
  }
  files["journal.jsonl"] = merged_journal(command.folders);
  conformance::Report report =
      conformance::merge_reports(std::move(shards), conformance::required_rules());
  fs::create_directories(output);
  for (const auto& [name, content] : files) write_file(output / name, content);
  report.details = details_of(report.run);
  write_report(output, report);
  return tell_report(output, report, command.json);
}

}  // namespace

std::function<int()> set_up_merge(CLI::App& app) {
  auto command = std::make_shared<MergeCommand>();
  app.add_option("DIR", command->folders, "Report folders of every shard of one run")->required();
  app.add_option("--report", command->output,
                 "Folder of the merged report, made where it is missing")
      ->required();
  app.add_flag("--json", command->json, "The merged report as JSON on standard output");
  app.footer(
      "Puts the shards of a run ('conform --shard I/N'), perhaps of several machines, together to\n"
      "one report, as if the run had been one. Shards of different runs, and a shard or a case "
      "that "
      "is\n"
      "missing or there twice, are refused.\n\n"
      "Example:\n"
      "  chainwalk merge shard-0 shard-1 shard-2 shard-3 --report merged\n\n"
      "Exit status: 0 conforms, 1 does not, 2 malformed input or shards that do not fit.");
  return [command] { return merge(*command); };
}

}  // namespace chainwalk::cli
