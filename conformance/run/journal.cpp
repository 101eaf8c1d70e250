// SPDX-License-Identifier: Apache-2.0
// Journal lines: {"run": header}, {"begin": id}, {"end": result}.
#include "journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "chainwalk/platform/json_nesting.h"
#include "chainwalk/platform/write_all.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::conformance {
namespace {

using nlohmann::json;

json header_json(const RunHeader& header) {
  return {{"suite_version", header.suite_version},
          {"specification_version", header.specification_version},
          {"implementation", header.implementation},
          {"profile", header.profile},
          {"seed", header.seed},
          {"shard_index", header.shard_index},
          {"shard_count", header.shard_count}};
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw InputError(
      {"JOURNAL", std::nullopt, std::nullopt, fmt::format("journal {}: {}", path.string(), what)});
}

}  // namespace

Journal::Journal(const std::filesystem::path& path, const RunHeader& header, bool resume)
    : path_(path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(path, error);
  if (exists && !resume)
    refuse(path, "it exists already; continue it with --resume or name another folder");
  std::string text;
  if (exists) {
    if (!std::filesystem::is_regular_file(path, error)) refuse(path, "it is not a regular file");
    std::ifstream file(path, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) refuse(path, "it cannot be read");
    // A stop in the middle of a line leaves a tail that is no line: it is cut off.
    text.resize(text.rfind('\n') + 1);
    load(text, header);
  }
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0 || ::ftruncate(descriptor_, static_cast<off_t>(text.size())) != 0 ||
      ::lseek(descriptor_, 0, SEEK_END) < 0) {
    const int code = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw std::system_error(code, std::generic_category(), "cannot write journal " + path.string());
  }
  if (text.empty()) append(json{{"run", header_json(header)}}.dump());
}

Journal::~Journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Journal::load(const std::string& text, const RunHeader& header) {
  std::size_t start = 0;
  for (std::int64_t line_number = 1; start < text.size(); ++line_number) {
    const std::size_t stop = text.find('\n', start);
    const std::string line = text.substr(start, stop - start);
    start = stop + 1;
    if (platform::nests_too_deep(line)) {
      refuse(path_, fmt::format("line {} nests deeper than {} levels", line_number,
                                platform::json_nesting_max));
    }
    const json parsed = json::parse(line, nullptr, false);
    if (!parsed.is_object())
      refuse(path_, fmt::format("line {} is not a JSON object", line_number));
    if (line_number == 1) {
      if (!parsed.contains("run")) refuse(path_, "line 1 does not say what run it is of");
      if (parsed["run"] != header_json(header)) {
        refuse(path_, fmt::format("it is of another run: {}, not {}", parsed["run"].dump(),
                                  header_json(header).dump()));
      }
    } else if (parsed.contains("end")) {
      try {
        CaseResult result = result_from_json_line(parsed["end"].dump());
        finished_[result.case_id] = std::move(result);
      } catch (const InputError& error) {
        refuse(path_, fmt::format("line {}: {}", line_number, error.what()));
      }
    }
  }
}

void Journal::begin(const std::string& case_id) { append(json{{"begin", case_id}}.dump()); }

void Journal::end(const CaseResult& result) { append("{\"end\":" + to_json_line(result) + "}"); }

void Journal::append(const std::string& line) {
  if (!platform::write_all(descriptor_, line + "\n")) {
    throw std::system_error(errno, std::generic_category(),
                            "cannot write journal " + path_.string());
  }
}

}  // namespace chainwalk::conformance
