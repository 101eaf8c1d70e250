// SPDX-License-Identifier: Apache-2.0
// What the parser does not look at by itself; each gives what is wrong, or an empty text.
#pragma once

#include <string>

namespace chainwalk::cli {

// A whole number of at most 64 bits: the parser takes "-1", and what is too great, for the
// greatest.
std::string require_unsigned(const std::string& text);

// A finite number of seconds greater than 0: a "nan" is never reached.
std::string require_seconds(const std::string& text);

}  // namespace chainwalk::cli
