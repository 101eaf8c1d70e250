// SPDX-License-Identifier: Apache-2.0
// chainwalk package and chainwalk check-package: a report folder as a submission, and what is wrong
// with one.
#include "chainwalk/package/package.h"

#include <memory>

#include "command.h"
#include "output.h"
#include "report_files.h"

namespace chainwalk::cli {
namespace {

struct PackageCommand {
  std::string folder, output;
  bool json = false;
};

int pack(const PackageCommand& command) {
  const auto files = package::pack_report(command.folder, command.output);
  if (!command.json) {
    say("{}: {} files and their manifest\n", command.output, files.size());
    return status_ok;
  }
  Json listed = Json::array();
  for (const package::ArchiveFile& file : files)
    listed.push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  print_json({{"command", "package"}, {"file", command.output}, {"files", std::move(listed)}});
  return status_ok;
}

int check(const PackageCommand& command) {
  const package::PackageCheck checked = package::check_package(command.folder, today_utc());
  const bool accepted = checked.findings.empty();
  if (command.json) {
    print_json({{"command", "check-package"},
                {"file", command.folder},
                {"implementation", checked.implementation},
                {"claim", checked.claim},
                {"cases", checked.cases},
                {"accepted", accepted},
                {"waived", checked.waived},
                {"findings", checked.findings}});
  } else {
    for (const std::string& note : checked.waived) say("{}\n", note);
    for (const std::string& finding : checked.findings) say("{}\n", finding);
    say("{}: {}, {} cases: {}\n", command.folder, checked.implementation, checked.cases,
        accepted ? "accepted" : fmt::format("{} findings", checked.findings.size()));
  }
  return accepted ? status_ok : status_different;
}

}  // namespace

std::function<int()> set_up_package(CLI::App& app) {
  auto command = std::make_shared<PackageCommand>();
  app.add_option("DIR", command->folder, "Report folder of 'conform'")->required();
  app.add_option("-o,--output", command->output, "The archive: FILE.tar.gz or FILE.zip")
      ->required();
  app.add_flag("--json", command->json, "One JSON document: command, file, files");
  app.footer(
      "Packs a report, its journal and its replays with a manifest of SHA-256 hashes.\n\n"
      "Example:\n"
      "  chainwalk package chainwalk-report -o submission.tar.gz\n\n"
      "Exit status: 0 written, 2 malformed report or a file that cannot be written.");
  return [command] { return pack(*command); };
}

std::function<int()> set_up_check_package(CLI::App& app) {
  auto command = std::make_shared<PackageCommand>();
  app.add_option("FILE", command->folder, "Archive written by 'package'")->required();
  app.add_flag(
      "--json", command->json,
      "One JSON document: command, file, implementation, claim, cases, accepted, waived, findings");
  app.footer(
      "Looks for missing, duplicate, altered and failing results, and for required cases that did\n"
      "not run. Waived results are named and accepted until their waiver expires. A shard is a "
      "part "
      "of a\n"
      "run: put shards together with 'merge' first.\n\n"
      "Example:\n"
      "  chainwalk check-package submission.tar.gz\n\n"
      "Exit status: 0 accepted, 1 findings, 2 malformed archive.");
  return [command] { return check(*command); };
}

}  // namespace chainwalk::cli
