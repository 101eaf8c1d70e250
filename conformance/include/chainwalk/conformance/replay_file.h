// SPDX-License-Identifier: Apache-2.0
// Replay files: a capture with inputs only, and metadata that says what failed on it.
#pragma once

#include <filesystem>
#include <string>

#include "chainwalk/spec/capture.h"

namespace chainwalk::conformance {

struct ReplayNote {
  std::string case_id;         // the case that failed
  std::string implementation;  // --on
  std::string diagnosis;       // may be empty
  std::string text;            // what the failure said
  std::string original = {};   // what the problem was shrunk from; empty: it is the case's own
  std::string result = {};     // the result on this problem, a line of JSON; may be empty
  // Not empty: the rows lie at the 2^32-byte borders of a sparse bank, which this word chooses
  // (decimal; see fuzz::FuzzCase).
  std::string sparse_bank = {};
  // Not empty: the problem's request with these changes was decided on, and nothing was run (see
  // fuzz::RequestEdit).
  std::string request_edits = {};
};

// Writes the explicit problem, so that the file outlives its generator.
void write_replay(const std::filesystem::path& path, const Problem& problem,
                  const ReplayNote& note);

struct Replay {
  Capture capture;
  ReplayNote note;
  std::string specification_version;
};

// InputError for a file that is no replay file, or whose problem is not well-formed; only flags may
// be ill-formed (REC-6).
Replay read_replay(const std::filesystem::path& path);

}  // namespace chainwalk::conformance
