// SPDX-License-Identifier: Apache-2.0
// What a package says: {"report": ..., "journal": [...], "manifest": ...}, packed with an honest
// manifest where none is given, and checked.
#include "chainwalk/package/package.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"
#include "json_mutator.h"
#include "tar.h"

namespace {

using namespace chainwalk;
using format_fuzz::Json;

format_fuzz::NamedTexts files_of(const Json& input) {
  format_fuzz::NamedTexts files{{"report.json", input.value("report", Json()).dump()}};
  std::string journal;
  for (const Json& line : input.value("journal", Json::array())) journal += line.dump() + "\n";
  files.emplace_back("journal.jsonl", journal);
  Json manifest{{"format", "chainwalk-package"}, {"version", 1}};
  for (const auto& [name, content] : files) {
    manifest["files"].push_back(
        {{"name", name}, {"bytes", content.size()}, {"sha256", package::sha256_of(content)}});
  }
  files.emplace_back("manifest.json", input.value("manifest", manifest).dump());
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = format_fuzz::text_of(data, size);
  // Deep JSON is the business of the targets that read text.
  if (!format_fuzz::is_shallow_json(text)) return 0;
  const Json input = Json::parse(text);
  if (!input.is_object()) return 0;
  const format_fuzz::FileInMemory file(format_fuzz::tar_of(files_of(input)));
  try {
    (void)package::check_package(file.path(), "2000-01-01");
  } catch (const InputError&) {
  }
  return 0;
}
