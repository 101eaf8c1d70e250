// SPDX-License-Identifier: Apache-2.0
// Standard output and standard error.
#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace chainwalk::cli {
namespace {

[[noreturn]] void fail_output(int error) {
  throw std::system_error(error, std::generic_category(), "cannot write standard output");
}

}  // namespace

void print_text(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail_output(errno);
}

void flush_output() {
  if (std::fflush(stdout) != 0) fail_output(errno);
}

void print_json(const Json& json) {
  print_text(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

void print_error(std::string_view text) {
  const std::string line = fmt::format("chainwalk: error: {}\n", text);
  // There is nowhere left to report a failure of standard error.
  (void)std::fwrite(line.data(), 1, line.size(), stderr);
}

Progress::Progress(bool wanted) : enabled_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void Progress::show(std::int64_t done, std::int64_t total, std::string_view what) {
  constexpr std::size_t width = 60;
  if (what.size() > width) what.remove_prefix(what.size() - width);
  show_line(fmt::format("[{}/{}] {}", done, total, what));
}

void Progress::note(std::int64_t step, std::string_view what) {
  show_line(fmt::format("[{}] {}", step, what));
}

void Progress::show_line(const std::string& line) {
  if (!enabled_) return;
  fmt::print(stderr, "\r\x1B[K{}", line);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\x1B[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace chainwalk::cli
