// SPDX-License-Identifier: Apache-2.0
// Checking of a package: nothing in it is taken on trust.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "chainwalk/conformance/report.h"
#include "chainwalk/package/package.h"
#include "chainwalk/platform/json_nesting.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/rules.h"
#include "form.h"

namespace chainwalk::package {
namespace {

using conformance::CaseResult;
using conformance::Report;
using conformance::Verdict;
using Found = std::map<std::string, const ArchiveFile*>;
using Json = nlohmann::ordered_json;

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
    if (manifest.at("format") != format_name || manifest.at("version") != format_version)
      refuse(file, "its manifest is of another format or version");
    for (const Json& entry : manifest.at("files")) {
      const auto name = entry.at("name").get<std::string>();
      if (!listed.insert(name).second) refuse(file, "its manifest names " + name + " twice");
      const auto there = found.find(name);
      if (there == found.end()) {
        findings.push_back("missing: " + name);
      } else if (there->second->sha256 != entry.at("sha256").get<std::string>() ||
                 entry.at("bytes") != there->second->bytes) {
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
    if (platform::nests_too_deep(line)) {
      refuse(file, fmt::format("its journal has a line that nests deeper than {} levels",
                               platform::json_nesting_max));
    }
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
    if (result.verdict != Verdict::pass && claim.covers(result.coordinates) &&
        waiver_of(report, result) == nullptr)
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
  const auto profile = conformance::parse_profile(header.profile);
  if (!profile) {
    findings.push_back("there is no profile " + header.profile);
    return;
  }
  const conformance::Claim claim = conformance::parse_claim(report.claim);
  std::map<std::string, const CaseResult*> ran;
  for (const CaseResult& result : report.run.results) ran[result.case_id] = &result;
  for (const conformance::Case& one : conformance::make_suite(*profile, header.seed)) {
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
  const Report again = conformance::make_report(report.run, report.environment, report.claim,
                                                report.waivers, conformance::required_rules());
  for (const std::string& complaint : again.complaints) findings.push_back(complaint);
  if (again.counts != report.counts || again.waived != report.waived ||
      report.conforms != again.conforms)
    findings.push_back("altered: the summary of report.json does not follow from its cases");
}

// A waiver is an exception that its sender asks for: whoever accepts the package is told of each.
// One that has expired since the run is no excuse any more.
std::vector<std::string> check_waivers(const Report& report, const std::string& today,
                                       Findings& findings) {
  std::vector<std::string> notes;
  const conformance::Claim claim = conformance::parse_claim(report.claim);
  for (const conformance::Waiver& waiver : report.waivers) {
    const std::string& of = waiver.rule.empty() ? waiver.case_id : waiver.rule;
    const auto count = std::count_if(
        report.run.results.begin(), report.run.results.end(), [&](const CaseResult& result) {
          return claim.covers(result.coordinates) && waiver_of(report, result) == &waiver;
        });
    notes.push_back(fmt::format("waived: {} results of {} until {}: {} ({})", count, of,
                                waiver.expires, waiver.reason, waiver.link));
    if (waiver.expires < today)
      findings.push_back(fmt::format("expired: the waiver of {} ended on {}", of, waiver.expires));
  }
  return notes;
}

}  // namespace

PackageCheck check_package(const std::filesystem::path& archive, const std::string& today) {
  const std::string file = archive.string();
  const std::vector<ArchiveFile> files = read_archive(archive, [](const std::string& name) {
    return name == manifest_name || name == "report.json" || name == "journal.jsonl";
  });
  Found found;
  for (const ArchiveFile& one : files) found[one.name] = &one;
  PackageCheck checked;
  check_manifest(file, found, checked.findings);
  for (const char* needed : {"report.json", "journal.jsonl"}) {
    if (!found.contains(needed)) refuse(file, fmt::format("it has no {}", needed));
  }
  const Report report =
      conformance::report_from_json(found["report.json"]->content, file + ": report.json");
  check_results(file, found, report, checked.findings);
  check_required(report, checked.findings);
  check_summary(report, checked.findings);
  checked.waived = check_waivers(report, today, checked.findings);
  checked.implementation = report.run.header.implementation;
  checked.claim = report.claim;
  checked.cases = report.run.results.size();
  return checked;
}

}  // namespace chainwalk::package
