// SPDX-License-Identifier: Apache-2.0
// chainwalk compare: what changed between two runs of the suite (DET-1 between devices).
#include <memory>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "output.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

using conformance::Report;
using conformance::ReportDifference;

struct CompareCommand {
  std::string first, second;
  bool json = false;
};

// What makes the two runs runs of different things, so that cases need not mean the same.
std::vector<std::string> differing_headers(const Report& first, const Report& second) {
  std::vector<std::string> notes;
  const auto note = [&](const char* what, const std::string& a, const std::string& b) {
    if (a != b) notes.push_back(fmt::format("{}: {} -> {}", what, a, b));
  };
  const conformance::RunHeader& a = first.run.header;
  const conformance::RunHeader& b = second.run.header;
  note("specification", a.specification_version, b.specification_version);
  note("suite version", std::to_string(a.suite_version), std::to_string(b.suite_version));
  note("profile", a.profile, b.profile);
  note("seed", std::to_string(a.seed), std::to_string(b.seed));
  return notes;
}

std::size_t common_cases(const Report& first, const ReportDifference& difference) {
  std::size_t only_first = 0;
  for (const std::string& line : difference.missing) {
    if (line.ends_with("only in the first")) ++only_first;
  }
  return first.run.results.size() - only_first;
}

void say_list(const char* title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  say("\n{} ({}):\n", title, lines.size());
  for (const std::string& line : lines) say("  {}\n", line);
}

int compare(const CompareCommand& command) {
  const Report first = conformance::report_from_json(read_text(command.first), command.first);
  const Report second = conformance::report_from_json(read_text(command.second), command.second);
  const ReportDifference difference = conformance::compare_reports(first, second);
  const std::vector<std::string> notes = differing_headers(first, second);
  const std::size_t common = common_cases(first, difference);
  if (common == 0) {
    throw InputError(
        {"REPORT", std::nullopt, std::nullopt,
         fmt::format("{} and {} have no case in common", command.first, command.second)});
  }
  const bool same =
      difference.verdicts.empty() && difference.bits.empty() && difference.missing.empty();
  if (command.json) {
    print_json({{"command", "compare"},
                {"first", command.first},
                {"second", command.second},
                {"same", same},
                {"common", common},
                {"runs", notes},
                {"verdicts", difference.verdicts},
                {"bits", difference.bits},
                {"missing", difference.missing}});
    return same ? status_ok : status_different;
  }
  say("{} against {}: {} cases in both\n", first.run.header.implementation,
      second.run.header.implementation, common);
  for (const std::string& line : notes) say("note: {}\n", line);
  say_list("other verdicts", difference.verdicts);
  say_list("same verdict, other output bits", difference.bits);
  say_list("in one of the two only", difference.missing);
  say("{}\n", same ? "same verdicts and the same bits" : "\ndifferent");
  return same ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_compare(CLI::App& app) {
  auto command = std::make_shared<CompareCommand>();
  app.add_option("A", command->first, "report.json of the one run")->required();
  app.add_option("B", command->second, "report.json of the other")->required();
  app.add_flag("--json", command->json,
               "One JSON document: command, first, second, same, common, runs, verdicts, bits, "
               "missing");
  app.footer(
      "Compares two reports case by case: verdicts, and the hash of every output. Two GPUs, or "
      "two\n"
      "versions of a kernel, must leave the same bits.\n\n"
      "Examples:\n"
      "  chainwalk compare yesterday/report.json today/report.json\n"
      "  chainwalk compare a100/report.json h200/report.json --json\n\n"
      "Exit status: 0 the same, 1 different, 2 malformed input.");
  return [command] { return compare(*command); };
}

}  // namespace chainwalk::cli
