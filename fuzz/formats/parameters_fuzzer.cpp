// SPDX-License-Identifier: Apache-2.0
// Parameters of the generator: what is read is written and read again as the same.
#include <cstdlib>

#include "chainwalk/generate/generate.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  generate::Parameters parameters;
  try {
    parameters = generate::from_json(std::string(format_fuzz::text_of(data, size)));
  } catch (const InputError&) {
    return 0;
  }
  if (!(generate::from_json(generate::to_json(parameters)) == parameters)) std::abort();
  return 0;
}
