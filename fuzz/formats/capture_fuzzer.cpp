// SPDX-License-Identifier: Apache-2.0
// Capture files: reading, validation, and the walk of what passes (CAP-1 to CAP-8).
#include "chainwalk/spec/capture.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/validate.h"
#include "file_in_memory.h"
#include "walk_it.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  const format_fuzz::FileInMemory file(format_fuzz::text_of(data, size));
  try {
    const Capture capture = read_capture(file.path());
    if (validate(capture.problem).empty()) format_fuzz::walk_it(capture.problem);
  } catch (const InputError&) {
  }
  return 0;
}
