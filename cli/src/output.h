// SPDX-License-Identifier: Apache-2.0
// Standard output that fails loudly, and progress on a terminal.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace chainwalk::cli {

using Json = nlohmann::ordered_json;

// Writes to standard output; std::system_error where it cannot be written (a broken pipe, a full
// disk). Output is buffered: flush_output() reports what only shows at the end.
void print_text(std::string_view text);
void flush_output();

template <typename... Values>
void say(fmt::format_string<Values...> text, Values&&... values) {
  print_text(fmt::format(text, std::forward<Values>(values)...));
}

// One JSON document, indented, with a line end. Text that is not UTF-8 (file names) is replaced.
void print_json(const Json& json);

// "chainwalk: error: ..." on standard error, on a line of its own.
void print_error(std::string_view text);

// A line on standard error that says what is being done, where that is a terminal; else nothing.
class Progress {
 public:
  explicit Progress(bool wanted);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  void show(std::int64_t done, std::int64_t total, std::string_view what);
  // A step of work whose number of steps is not known.
  void note(std::int64_t step, std::string_view what);
  void clear();

 private:
  void show_line(const std::string& line);

  bool enabled_;
  bool shown_ = false;
};

}  // namespace chainwalk::cli
