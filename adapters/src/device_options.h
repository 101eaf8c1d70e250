// SPDX-License-Identifier: Apache-2.0
// Options that every machine of the kernels' family takes, and how options are read.
#pragma once

#include <string>
#include <string_view>

#include "plan_request.h"

namespace chainwalk::adapters {

[[noreturn]] void refuse(const std::string& text);  // InputError

// "17" and nothing else; false leaves `value`.
bool parse_integer(std::string_view text, int& value);
// InputError names the option, the value and the range.
int integer_option(std::string_view key, std::string_view value, int least, int greatest);

// kernel=NAME, source=bank_direct|dense_rows|batch_prefetch, geometry=GEOMETRY as plan's
// parse_geometry() takes it, override=0|1. False for another key.
bool take_wish_option(std::string_view key, std::string_view value, SessionWish& wish);
inline constexpr std::string_view wish_options =
    "kernel=NAME, source=bank_direct|dense_rows|batch_prefetch, geometry=GEOMETRY, override=0|1";

}  // namespace chainwalk::adapters
