// SPDX-License-Identifier: Apache-2.0
// Replay files are captures: any reader of safetensors opens them.
#include "chainwalk/conformance/replay_file.h"

#include <fmt/format.h>

#include "chainwalk/conformance/suite.h"
#include "chainwalk/spec/rules.h"

namespace chainwalk::conformance {
namespace {

constexpr const char* key_case = "replay_case";
constexpr const char* key_implementation = "replay_implementation";
constexpr const char* key_diagnosis = "replay_diagnosis";
constexpr const char* key_text = "replay_text";
constexpr const char* key_original = "replay_original";
constexpr const char* key_result = "replay_result";
constexpr const char* key_sparse_bank = "replay_sparse_bank";
constexpr const char* key_request_edits = "replay_request_edits";
constexpr const char* key_specification = "specification_version";

}  // namespace

void write_replay(const std::filesystem::path& path, const Problem& problem,
                  const ReplayNote& note) {
  Capture capture;
  capture.problem = problem;
  capture.device = "none";
  capture.source = "replay";
  capture.metadata = {{key_case, note.case_id},
                      {key_implementation, note.implementation},
                      {key_diagnosis, note.diagnosis},
                      {key_text, note.text},
                      {key_original, note.original},
                      {key_result, note.result},
                      {key_sparse_bank, note.sparse_bank},
                      {key_request_edits, note.request_edits},
                      {key_specification, std::string(specification_version())}};
  write_capture(path, capture);
}

Replay read_replay(const std::filesystem::path& path) {
  Replay replay;
  replay.capture = read_capture(path);
  const auto text = [&](const char* key) {
    const auto found = replay.capture.metadata.find(key);
    if (found == replay.capture.metadata.end()) {
      throw InputError({"REPLAY", std::nullopt, std::nullopt,
                        fmt::format("{}: the metadata has no '{}': it is not a replay file",
                                    path.string(), key)});
    }
    return found->second;
  };
  const auto optional_text = [&](const char* key) {
    const auto found = replay.capture.metadata.find(key);
    return found == replay.capture.metadata.end() ? std::string() : found->second;
  };
  replay.note = {text(key_case),
                 text(key_implementation),
                 text(key_diagnosis),
                 text(key_text),
                 optional_text(key_original),
                 optional_text(key_result),
                 optional_text(key_sparse_bank),
                 optional_text(key_request_edits)};
  replay.specification_version = text(key_specification);
  // Cases hold problems whose flags are not well-formed; nothing else of them may be wrong.
  if (auto fault = fault_besides_flags(replay.capture.problem)) {
    fault->message = fmt::format("{}: {}", path.string(), fault->message);
    throw InputError(*fault);
  }
  return replay;
}

}  // namespace chainwalk::conformance
