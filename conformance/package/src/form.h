// SPDX-License-Identifier: Apache-2.0
// What packing and checking know of a package's form.
#pragma once

#include <string>

namespace chainwalk::package {

inline constexpr int format_version = 1;
inline constexpr const char* format_name = "chainwalk-package";
inline constexpr const char* manifest_name = "manifest.json";

// A report names its replays by the path they were written to; a package holds them by name.
std::string name_of(const std::string& path);

}  // namespace chainwalk::package
