// SPDX-License-Identifier: Apache-2.0
// The whole text of specification.md (chapter VER names its version).
#pragma once

#include <string_view>

namespace chainwalk {

extern const std::string_view specification_text;

}  // namespace chainwalk
