// SPDX-License-Identifier: Apache-2.0
// A report folder: report.json, report.xml, report.html, the journal and the replay files.
#pragma once

#include <filesystem>
#include <string>

#include "chainwalk/conformance/report.h"

namespace chainwalk::cli {

// "YYYY-MM-DD", against which waivers expire.
std::string today_utc();

// report.json of a report folder. InputError, or std::system_error where it cannot be read.
conformance::Report read_report(const std::filesystem::path& folder);

// Writes the three files of a report, each whole or not at all.
void write_report(const std::filesystem::path& folder, const conformance::Report& report);

// Prints a report, as JSON or as text with the place of its page, and gives the exit status: that
// of a command whose verdict it is.
int tell_report(const std::filesystem::path& folder, const conformance::Report& report, bool json);

}  // namespace chainwalk::cli
