// SPDX-License-Identifier: Apache-2.0
// The journal of a run: one JSON line before and after each case, appended at once.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "chainwalk/conformance/run.h"

namespace chainwalk::conformance {

class Journal {
 public:
  // Starts a new journal, or continues one whose header is equal. InputError otherwise.
  Journal(const std::filesystem::path& path, const RunHeader& header, bool resume);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // Results that earlier parts of the run finished, by case id. A case that only began is not here.
  const std::map<std::string, CaseResult>& finished() const noexcept { return finished_; }

  void begin(const std::string& case_id);
  void end(const CaseResult& result);

 private:
  void load(const std::string& text, const RunHeader& header);
  void append(const std::string& line);

  std::filesystem::path path_;
  int descriptor_ = -1;
  std::map<std::string, CaseResult> finished_;
};

}  // namespace chainwalk::conformance
