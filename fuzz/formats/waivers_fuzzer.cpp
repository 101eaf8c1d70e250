// SPDX-License-Identifier: Apache-2.0
// Waiver files, and the match of what they hold against a result.
#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace chainwalk;
  try {
    const auto waivers = conformance::parse_waivers(std::string(format_fuzz::text_of(data, size)),
                                                    "waivers.json", "2026-01-01");
    conformance::CaseResult result;
    result.case_id = "ARI/restart-after-invalid/0";
    result.rules = {"ARI-4"};
    (void)conformance::find_waiver(waivers, result);
  } catch (const InputError&) {
  }
  return 0;
}
