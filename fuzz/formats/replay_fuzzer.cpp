// SPDX-License-Identifier: Apache-2.0
// Replay files: reading, the walk of their problem, and what the report shows of them.
#include "chainwalk/conformance/replay_file.h"
#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"
#include "walk_it.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  const format_fuzz::FileInMemory file(format_fuzz::text_of(data, size));
  try {
    const conformance::Replay replay = conformance::read_replay(file.path());
    format_fuzz::walk_it(replay.capture.problem);
    if (replay.note.result.empty()) return 0;
    const auto result = conformance::result_from_json_line(replay.note.result);
    (void)conformance::detail_of(replay.capture.problem, result.difference);
  } catch (const InputError&) {
  }
  return 0;
}
