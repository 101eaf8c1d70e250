// SPDX-License-Identifier: Apache-2.0
// Journals of a run that is resumed: a run of no case reads one and stops.
#include <algorithm>

#include "chainwalk/conformance/run.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"
#include "json_mutator.h"
#include "seed_run.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t size_max);

// Changes one line as JSON.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t size_max, unsigned seed) {
  using namespace chainwalk::format_fuzz;
  Random random(seed);
  std::string text(text_of(data, size));
  const std::size_t inside = below(random, size + 1);
  const std::size_t begin = inside == 0 ? 0 : text.rfind('\n', inside - 1) + 1;
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  const std::string line = text.substr(begin, end - begin);
  if (below(random, 4) == 0 || !is_shallow_json(line))
    return LLVMFuzzerMutate(data, size, size_max);
  text.replace(begin, line.size(), changed_json(Json::parse(line), random));
  if (text.size() > size_max) return LLVMFuzzerMutate(data, size, size_max);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  const format_fuzz::FileInMemory file(format_fuzz::text_of(data, size));
  conformance::RunSettings settings;
  settings.journal = file.path();
  settings.resume = true;
  try {
    (void)conformance::run_cases({}, format_fuzz::seed_header(), settings);
  } catch (const InputError&) {
  }
  return 0;
}
