// SPDX-License-Identifier: Apache-2.0
// Reports on their way to and from a folder.
#include "report_files.h"

#include <unistd.h>

#include <ctime>

#include "command.h"
#include "output.h"
#include "text_file.h"

namespace chainwalk::cli {

std::string today_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

conformance::Report read_report(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "report.json";
  return conformance::report_from_json(read_text(path), path.string());
}

void write_report(const std::filesystem::path& folder, const conformance::Report& report) {
  write_file(folder / "report.json", report_json(report));
  write_file(folder / "report.xml", report_junit(report));
  write_file(folder / "report.html", report_html(report));
}

int tell_report(const std::filesystem::path& folder, const conformance::Report& report, bool json) {
  if (json) {
    print_text(report_json(report));
  } else {
    print_text(report_text(report, ::isatty(STDOUT_FILENO) != 0));
    say("report: {}\n", (folder / "report.html").string());
  }
  return report.conforms ? status_ok : status_different;
}

}  // namespace chainwalk::cli
