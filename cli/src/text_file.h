// SPDX-License-Identifier: Apache-2.0
// Whole files of text, read and written.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace chainwalk::cli {

// The bytes of a regular file. std::system_error that names the path where it cannot be read.
std::string read_text(const std::filesystem::path& path);

// The file appears whole or not at all. std::system_error that names the path.
void write_file(const std::filesystem::path& path, std::string_view text);

}  // namespace chainwalk::cli
