// SPDX-License-Identifier: Apache-2.0
// The whole text of spec/required.json.
#pragma once

#include <string_view>

namespace chainwalk::conformance {

extern const std::string_view required_text;

}  // namespace chainwalk::conformance
