// SPDX-License-Identifier: Apache-2.0
// The text of the specification, rule by rule, compiled in from spec/specification.md.
#pragma once

#include <span>
#include <string_view>

namespace chainwalk {

struct Rule {
  std::string_view id;       // "ARI-4"
  std::string_view chapter;  // "ARI"
  std::string_view title;    // one line
  std::string_view text;     // Markdown
};

// Every rule in the order of the document.
std::span<const Rule> rules() noexcept;

// nullptr for an id that does not exist. Case does not matter.
const Rule* find_rule(std::string_view id) noexcept;

// Version of the specification, "1.0".
std::string_view specification_version() noexcept;

}  // namespace chainwalk
