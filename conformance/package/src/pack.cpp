// SPDX-License-Identifier: Apache-2.0
// Packing of a report folder.
#include <nlohmann/json.hpp>

#include "chainwalk/conformance/report.h"
#include "chainwalk/package/package.h"
#include "chainwalk/platform/memory.h"
#include "form.h"

namespace chainwalk::package {
namespace {

using conformance::CaseResult;
using conformance::Report;
using Json = nlohmann::ordered_json;

std::string read_file(const std::filesystem::path& path) {
  const platform::Mapping file = platform::Mapping::read_file(path);
  const auto bytes = file.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The files of a report folder that belong into a package.
std::vector<ArchiveFile> report_files(const std::filesystem::path& folder) {
  std::vector<std::string> names{"report.json", "journal.jsonl"};
  for (const char* optional : {"report.xml", "report.html"}) {
    if (std::filesystem::exists(folder / optional)) names.emplace_back(optional);
  }
  const std::string text = read_file(folder / "report.json");
  const Report report = conformance::report_from_json(text, (folder / "report.json").string());
  for (const CaseResult& result : report.run.results) {
    if (!result.replay_file.empty()) names.push_back(name_of(result.replay_file));
  }
  std::vector<ArchiveFile> files;
  for (const std::string& name : names) {
    ArchiveFile file{name, read_file(folder / name), 0, ""};
    file.bytes = file.content.size();
    file.sha256 = sha256_of(file.content);
    files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

std::string name_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::vector<ArchiveFile> pack_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& archive) {
  std::vector<ArchiveFile> files = report_files(folder);
  Json manifest{{"format", format_name}, {"version", format_version}};
  for (const ArchiveFile& file : files) {
    manifest["files"].push_back(
        {{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  }
  files.insert(files.begin(), ArchiveFile{manifest_name, manifest.dump(1) + "\n", 0, ""});
  write_archive(archive, files);
  files.erase(files.begin());
  return files;
}

}  // namespace chainwalk::package
