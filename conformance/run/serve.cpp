// SPDX-License-Identifier: Apache-2.0
// The worker's side of a run.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <string>
#include <unordered_map>

#include "chainwalk/conformance/run.h"

namespace chainwalk::conformance {
namespace {

bool write_line(int output, const std::string& text) {
  const std::string line = text + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t count = ::write(output, line.data() + written, line.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    written += static_cast<std::size_t>(count);
  }
  return true;
}

// The next line of `input`, without buffering past it; false at the end.
bool read_line(int input, std::string& line) {
  line.clear();
  char letter = 0;
  for (;;) {
    const ssize_t count = ::read(input, &letter, 1);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    if (letter == '\n') return true;
    line.push_back(letter);
  }
}

}  // namespace

CaseResult run_case(const Case& one, Harness& harness) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result;
  try {
    result = one.run(harness);
  } catch (const std::bad_alloc&) {
    result.verdict = Verdict::crash;
    result.text = "out of memory";
  } catch (const std::exception& error) {
    result.verdict = Verdict::fail;
    result.text = error.what();
  }
  result.case_id = one.id;
  result.rules = one.rules;
  result.coordinates = one.coordinates;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

void serve_cases(const std::vector<Case>& cases,
                 const std::function<std::unique_ptr<Harness>()>& open, int input, int output) {
  std::unordered_map<std::string, const Case*> by_id;
  for (const Case& one : cases) by_id.emplace(one.id, &one);
  std::unique_ptr<Harness> harness;
  std::string id;
  while (read_line(input, id)) {
    CaseResult result;
    result.case_id = id;
    const auto found = by_id.find(id);
    if (found == by_id.end()) {
      result.text = "the worker has no case of this name";
    } else {
      if (harness == nullptr) harness = open();
      result = run_case(*found->second, *harness);
    }
    if (!write_line(output, to_json_line(result))) return;
    // A lost device or memory that ran out may spoil what follows: the next case gets a new
    // process.
    if (result.verdict == Verdict::crash) return;
  }
}

}  // namespace chainwalk::conformance
