// SPDX-License-Identifier: Apache-2.0
// Rules of the specification, cut out of its text at the headings (VER-1, VER-2).
#include "chainwalk/spec/rules.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "specification_text.h"

namespace chainwalk {
namespace {

constexpr std::string_view rule_heading = "### ";
constexpr std::string_view version_label = "Version: ";

std::string_view trim(std::string_view text) {
  const auto begin = text.find_first_not_of(" \n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// "ARI-4" at the start of a heading, else empty: a heading without an id ends a rule and begins
// none.
std::string_view id_of(std::string_view heading) {
  const std::string_view id = heading.substr(0, heading.find(' '));
  const auto dash = id.find('-');
  const auto all = [](std::string_view part, auto test) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [&](char c) {
      return test(static_cast<unsigned char>(c)) != 0;
    });
  };
  if (dash == std::string_view::npos) return {};
  const bool is_id = all(id.substr(0, dash), [](int c) { return std::isupper(c); }) &&
                     all(id.substr(dash + 1), [](int c) { return std::isdigit(c); });
  return is_id ? id : std::string_view();
}

std::vector<Rule> cut(std::string_view text) {
  std::vector<Rule> found;
  std::size_t begin = 0;  // of the open rule's text
  bool open = false;
  const auto close = [&](std::size_t end) {
    if (open) found.back().text = trim(text.substr(begin, end - begin));
    open = false;
  };
  for (std::size_t line = 0; line < text.size();) {
    const std::size_t end = std::min(text.find('\n', line), text.size());
    const std::string_view content = text.substr(line, end - line);
    if (content.starts_with("# ") || content.starts_with("## ") ||
        content.starts_with(rule_heading)) {
      close(line);
    }
    if (content.starts_with(rule_heading)) {
      const std::string_view heading = content.substr(rule_heading.size());
      if (const std::string_view id = id_of(heading); !id.empty()) {
        found.push_back({id, id.substr(0, id.find('-')), trim(heading.substr(id.size())), {}});
        begin = end;
        open = true;
      }
    }
    line = end + 1;
  }
  close(text.size());
  return found;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::toupper(static_cast<unsigned char>(x)) ==
           std::toupper(static_cast<unsigned char>(y));
  });
}

}  // namespace

std::span<const Rule> rules() noexcept {
  static const std::vector<Rule> all = cut(specification_text);
  return all;
}

const Rule* find_rule(std::string_view id) noexcept {
  const auto all = rules();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const Rule& rule) { return equal_ignoring_case(rule.id, id); });
  return found == all.end() ? nullptr : &*found;
}

std::string_view specification_version() noexcept {
  const std::size_t label = specification_text.find(version_label);
  if (label == std::string_view::npos) return {};
  const std::size_t begin = label + version_label.size();
  return trim(specification_text.substr(begin, specification_text.find('\n', begin) - begin));
}

}  // namespace chainwalk
