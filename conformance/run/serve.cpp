// SPDX-License-Identifier: Apache-2.0
// The worker's side of a run.
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <new>
#include <string>
#include <unordered_map>

#include "chainwalk/conformance/run.h"
#include "chainwalk/conformance/worker_predicate.h"
#include "chainwalk/platform/write_all.h"
#include "chainwalk/spec/capture.h"

namespace chainwalk::conformance {
namespace {

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

// An implementation that throws through the C interface is judged like any other.
template <typename Run>
CaseResult guarded(const Run& run) {
  CaseResult result;
  try {
    return run();
  } catch (const std::bad_alloc&) {
    result.verdict = Verdict::crash;
    result.text = "out of memory";
  } catch (const std::exception& error) {
    result.verdict = Verdict::fail;
    result.text = error.what();
  }
  return result;
}

// Opens a harness and has it tell the parent when the implementation has the word.
std::unique_ptr<Harness> open_watched(const std::function<std::unique_ptr<Harness>()>& open,
                                      int output) {
  write_mark(output, true);
  std::unique_ptr<Harness> harness = open();
  write_mark(output, false);
  harness->watch([output](bool inside) { write_mark(output, inside); });
  return harness;
}

CaseResult judge_file(const std::string& path, Harness& harness,
                      const std::function<CaseResult(Harness&, const Problem&)>& judge) {
  Problem problem;
  try {
    problem = read_capture(path).problem;
  } catch (const std::exception& error) {
    CaseResult result;
    result.text = error.what();
    return result;
  }
  return guarded([&] { return judge(harness, problem); });
}

}  // namespace

void write_mark(int output, bool inside) {
  // A parent that is gone shows when the result is written.
  (void)platform::write_all(output, std::string(inside ? enter_mark : leave_mark) + "\n");
}

CaseResult run_case(const Case& one, Harness& harness) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result = guarded([&] { return one.run(harness); });
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
      if (harness == nullptr) harness = open_watched(open, output);
      result = run_case(*found->second, *harness);
    }
    if (!platform::write_all(output, to_json_line(result) + "\n")) return;
    // A lost device or memory that ran out may spoil what follows: the next case gets a new
    // process.
    if (result.verdict == Verdict::crash) return;
  }
}

void serve_problems(const std::function<std::unique_ptr<Harness>()>& open,
                    const std::function<CaseResult(Harness&, const Problem&)>& judge, int input,
                    int output) {
  std::unique_ptr<Harness> harness;
  std::string path;
  while (read_line(input, path)) {
    if (harness == nullptr) harness = open_watched(open, output);
    const CaseResult result = judge_file(path, *harness, judge);
    if (!platform::write_all(output, to_json_line(result) + "\n") ||
        result.verdict == Verdict::crash)
      return;
  }
}

}  // namespace chainwalk::conformance
