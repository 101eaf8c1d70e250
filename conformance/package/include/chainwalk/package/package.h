// SPDX-License-Identifier: Apache-2.0
// A report folder as one file for whoever checks claims, and what is wrong with such a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "chainwalk/package/archive.h"

namespace chainwalk::package {

// Packs the report, the journal, the replays and, where they are there, the JUnit file and the page
// of a report folder, after a manifest of their sizes and SHA-256. Returns the files, without their
// manifest. InputError for a malformed report or another suffix than .tar.gz or .zip,
// std::system_error for a file that cannot be read or written; then nothing is written.
std::vector<ArchiveFile> pack_report(const std::filesystem::path& folder,
                                     const std::filesystem::path& archive);

struct PackageCheck {
  std::string implementation;
  std::string claim;
  std::size_t cases = 0;
  std::vector<std::string> waived;    // a sentence for each waiver; accepted, but to be known
  std::vector<std::string> findings;  // a sentence each; empty: accepted
};

// Looks for missing, duplicate, altered and failing results, for required cases that did not run,
// and for waivers that expired before `today` ("YYYY-MM-DD"). InputError for an archive that is
// malformed or lacks its manifest, report or journal.
PackageCheck check_package(const std::filesystem::path& archive, const std::string& today);

}  // namespace chainwalk::package
