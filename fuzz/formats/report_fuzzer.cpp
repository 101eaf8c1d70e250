// SPDX-License-Identifier: Apache-2.0
// Report files as 'compare' reads them; what is read is written and read again.
#include <cstdlib>

#include "chainwalk/conformance/report.h"
#include "chainwalk/spec/fault.h"
#include "file_in_memory.h"

namespace {

using namespace chainwalk;
using conformance::Report;

bool read(const std::string& text, Report& report) {
  try {
    report = conformance::report_from_json(text, "report.json");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Report report, again;
  if (!read(std::string(format_fuzz::text_of(data, size)), report)) return 0;
  if (!read(conformance::report_json(report), again)) std::abort();
  (void)conformance::compare_reports(report, again);
  (void)conformance::report_text(report, false);
  (void)conformance::report_html(report);
  (void)conformance::report_junit(report);
  return 0;
}
