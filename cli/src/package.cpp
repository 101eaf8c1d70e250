// SPDX-License-Identifier: Apache-2.0
// chainwalk package and chainwalk check-package: a report folder as a submission, and what is wrong
// with one.
#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "command.h"
#include "output.h"
#include "package_archive.h"
#include "text_file.h"

namespace chainwalk::cli {
namespace {

using conformance::CaseResult;
using conformance::Report;
using conformance::Verdict;
using Found = std::map<std::string, const ArchiveFile*>;

constexpr int package_version = 1;
constexpr const char* manifest_name = "manifest.json";

struct PackageCommand {
  std::string folder, output;
  bool json = false;
};

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

// The files of a report folder that belong into a package.
std::vector<ArchiveFile> report_files(const std::filesystem::path& folder) {
  std::vector<std::string> names{"report.json", "journal.jsonl"};
  for (const char* optional : {"report.xml", "report.html"}) {
    if (std::filesystem::exists(folder / optional)) names.emplace_back(optional);
  }
  const std::string text = read_text(folder / "report.json");
  const Report report = conformance::report_from_json(text, (folder / "report.json").string());
  for (const CaseResult& result : report.run.results) {
    if (!result.replay_file.empty()) names.push_back(name_of(result.replay_file));
  }
  std::vector<ArchiveFile> files;
  for (const std::string& name : names) {
    ArchiveFile file{name, read_text(folder / name), 0, ""};
    file.bytes = file.content.size();
    file.sha256 = sha256_of(file.content);
    files.push_back(std::move(file));
  }
  return files;
}

int package(const PackageCommand& command) {
  std::vector<ArchiveFile> files = report_files(command.folder);
  Json manifest{{"format", "chainwalk-package"}, {"version", package_version}};
  for (const ArchiveFile& file : files) {
    manifest["files"].push_back(
        {{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  files.insert(files.begin(), ArchiveFile{manifest_name, manifest.dump(1) + "\n", 0, ""});
  write_archive(command.output, files);
  if (command.json) {
    print_json({{"command", "package"}, {"file", command.output}, {"files", manifest["files"]}});
  } else {
    say("{}: {} files and their manifest\n", command.output, files.size() - 1);
  }
  return status_ok;
}

// ---- check-package ----

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw InputError(
      {"PACKAGE", std::nullopt, std::nullopt, fmt::format("package {}: {}", file, what)});
}

using Findings = std::vector<std::string>;

void check_manifest(const std::string& file, const Found& found, Findings& findings) {
  const auto at = found.find(manifest_name);
  if (at == found.end()) refuse(file, "it has no manifest.json");
  std::set<std::string> listed{manifest_name};
  try {
    const Json manifest = Json::parse(at->second->content);
    if (manifest.at("format") != "chainwalk-package" || manifest.at("version") != package_version)
      refuse(file, "its manifest is of another format or version");
    for (const Json& entry : manifest.at("files")) {
      const auto name = entry.at("name").get<std::string>();
      if (!listed.insert(name).second) refuse(file, "its manifest names " + name + " twice");
      const auto there = found.find(name);
      if (there == found.end()) {
        findings.push_back("missing: " + name);
      } else if (there->second->sha256 != entry.at("sha256").get<std::string>() ||
                 there->second->bytes != entry.at("bytes").get<std::uint64_t>()) {
        findings.push_back("altered: " + name + " is not what the manifest says");
      }
    }
  } catch (const Json::exception& error) {
    refuse(file, fmt::format("its manifest is malformed: {}", error.what()));
  }
  for (const auto& [name, entry] : found) {
    if (!listed.contains(name)) findings.push_back("not in the manifest: " + name);
  }
}

// What the journal says of each case that ended.
std::map<std::string, CaseResult> journal_results(const std::string& file,
                                                  const std::string& text) {
  std::map<std::string, CaseResult> results;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const Json parsed = Json::parse(line, nullptr, false);
    if (!parsed.is_object()) refuse(file, "its journal has a line that is no JSON object");
    if (!parsed.contains("end")) continue;
    CaseResult result = conformance::result_from_json_line(parsed["end"].dump());
    results[result.case_id] = std::move(result);
  }
  return results;
}

void check_results(const std::string& file, const Found& found, const Report& report,
                   Findings& findings) {
  std::set<std::string> ids;
  const auto journal = journal_results(file, found.at("journal.jsonl")->content);
  const conformance::Claim claim = conformance::parse_claim(report.claim);
  for (const CaseResult& result : report.run.results) {
    const std::string& id = result.case_id;
    if (!ids.insert(id).second) findings.push_back("duplicate: " + id);
    const auto noted = journal.find(id);
    const bool agrees = noted == journal.end()
                            ? result.verdict == Verdict::not_run
                            : noted->second.verdict == result.verdict &&
                                  noted->second.output_hash == result.output_hash;
    if (!agrees) findings.push_back("altered: " + id + " is not what the journal says");
    if (result.verdict != Verdict::pass && claim.covers(result.coordinates))
      findings.push_back(fmt::format("{}: {}", to_string(result.verdict), id));
    if (!result.replay_file.empty() && !found.contains(name_of(result.replay_file)))
      findings.push_back("missing: the replay of " + id);
  }
}

void check_required(const Report& report, Findings& findings) {
  const conformance::RunHeader& header = report.run.header;
  if (header.suite_version != conformance::suite_version ||
      header.specification_version != specification_version()) {
    findings.push_back(fmt::format(
        "it is of suite version {} and specification {}; this program knows the cases of {} and {}",
        header.suite_version, header.specification_version, conformance::suite_version,
        specification_version()));
    return;
  }
  const bool full = header.profile == "full";
  const bool soak = header.profile == "soak";
  if (!full && !soak && header.profile != "quick") {
    findings.push_back("there is no profile " + header.profile);
    return;
  }
  const auto profile = soak   ? conformance::Profile::soak
                       : full ? conformance::Profile::full
                              : conformance::Profile::quick;
  const conformance::Claim claim = conformance::parse_claim(report.claim);
  std::map<std::string, const CaseResult*> ran;
  for (const CaseResult& result : report.run.results) ran[result.case_id] = &result;
  for (const conformance::Case& one : conformance::make_suite(profile, header.seed)) {
    const auto at = ran.find(one.id);
    if (at == ran.end()) {
      if (claim.covers(one.coordinates)) findings.push_back("required but not there: " + one.id);
      continue;
    }
    // A case that says it lies elsewhere would slip out of the claim.
    if (at->second->rules != one.rules || at->second->coordinates.bank != one.coordinates.bank ||
        at->second->coordinates.snapshot != one.coordinates.snapshot)
      findings.push_back("altered: " + one.id + " has other rules or another place");
    ran.erase(at);
  }
  for (const auto& [id, result] : ran) findings.push_back("not a case of the suite: " + id);
}

void check_summary(const Report& report, Findings& findings) {
  const Report again = conformance::make_report(report.run, report.environment, report.claim, {});
  if (report.waived != 0) findings.push_back(fmt::format("{} results are waived", report.waived));
  if (again.counts != report.counts || (report.conforms && !again.conforms))
    findings.push_back("altered: the summary of report.json does not follow from its cases");
}

int check_package(const PackageCommand& command) {
  const std::string& file = command.folder;
  const std::vector<ArchiveFile> files = read_archive(file, [](const std::string& name) {
    return name == manifest_name || name == "report.json" || name == "journal.jsonl";
  });
  Found found;
  for (const ArchiveFile& one : files) found[one.name] = &one;
  Findings findings;
  check_manifest(file, found, findings);
  for (const char* needed : {"report.json", "journal.jsonl"}) {
    if (!found.contains(needed)) refuse(file, fmt::format("it has no {}", needed));
  }
  const Report report =
      conformance::report_from_json(found["report.json"]->content, file + ": report.json");
  check_results(file, found, report, findings);
  check_required(report, findings);
  check_summary(report, findings);
  if (command.json) {
    print_json({{"command", "check-package"},
                {"file", file},
                {"implementation", report.run.header.implementation},
                {"claim", report.claim},
                {"cases", report.run.results.size()},
                {"accepted", findings.empty()},
                {"findings", findings}});
  } else {
    for (const std::string& finding : findings) say("{}\n", finding);
    say("{}: {}, {} cases: {}\n", file, report.run.header.implementation, report.run.results.size(),
        findings.empty() ? "accepted" : fmt::format("{} findings", findings.size()));
  }
  return findings.empty() ? status_ok : status_different;
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
  return [command] { return package(*command); };
}

std::function<int()> set_up_check_package(CLI::App& app) {
  auto command = std::make_shared<PackageCommand>();
  app.add_option("FILE", command->folder, "Archive written by 'package'")->required();
  app.add_flag(
      "--json", command->json,
      "One JSON document: command, file, implementation, claim, cases, accepted, findings");
  app.footer(
      "Looks for missing, duplicate, altered and failing results, and for required cases that did\n"
      "not run.\n\n"
      "Example:\n"
      "  chainwalk check-package submission.tar.gz\n\n"
      "Exit status: 0 accepted, 1 findings, 2 malformed archive.");
  return [command] { return check_package(*command); };
}

}  // namespace chainwalk::cli
