// SPDX-License-Identifier: Apache-2.0
// Runs problems on one implementation: binds guarded, poisoned buffers, runs the steps, and says
// what changed that should not have.
#pragma once

#include <cfenv>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chainwalk/conformance/memory.h"
#include "chainwalk/conformance/result.h"
#include "chainwalk/implementation.h"
#include "chainwalk/spec/problem.h"

namespace chainwalk::conformance {

// An implementation that can be opened: a built-in table or a loaded shared object.
struct Implementation {
  const cw_implementation* table = nullptr;
  std::shared_ptr<MemoryKind> memory;
  std::vector<std::string> options;  // key=value
  std::shared_ptr<void> library;     // keeps a shared object loaded
  std::int32_t device = 0;
  // Floating-point environment that loading left, e.g. flushing subnormals; nullopt: the caller's.
  std::optional<std::fenv_t> environment;
};

// Loads "./libmine.so" with options. Throws chainwalk::InputError: not there, not an object file,
// no chainwalk_implementation symbol, another interface version, ill-formed table.
Implementation load_shared_object(const std::string& path, std::vector<std::string> options);

// What a run left. `outputs` is set where the status is CW_OK.
struct Outcome {
  std::int32_t status = CW_ERROR;          // cw_status
  std::int32_t refusal = CW_REFUSAL_NONE;  // cw_refusal
  std::string text;
  std::unique_ptr<OutputBuffers> outputs;
  std::optional<Difference> stray;  // a broken guard or a changed input
  std::int64_t greatest_step = -1;
};

struct RunOptions {
  std::vector<std::int64_t> steps;  // empty: every step in order
  cw_geometry geometry{0, 0, -1, 0, 0};
  std::byte poison = OutputBuffers::default_poison;
};

// The rows of a bank too large to hold twice: every other row is zero before the run (BIG-1).
struct SparseRows {
  std::vector<std::int64_t> rows;  // ascending, within the bank
  std::vector<std::byte> content;  // [rows.size(), row bytes]
};

// What a run on a sparse bank left: those rows, and every page that is no longer zero (BIG-2).
struct SparseOutcome {
  Outcome outcome;              // outputs.bank is empty
  std::vector<std::byte> rows;  // content of the rows after the run
  std::vector<std::uint64_t> nonzero_pages;
};

// One open session. Not thread-safe. The implementation keeps the floating-point environment that
// it has set for itself (NUM-3, NUM-6); the suite's own work is done in the default one.
class Harness {
 public:
  explicit Harness(const Implementation& implementation);  // InputError where open() fails
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  // Whether the implementation takes the problem: nullopt, or its reason.
  std::optional<std::string> unsupported(const Problem& problem, const RunOptions& options = {});
  Outcome run(const Problem& problem, const RunOptions& options = {});
  // As run(), on a bank of which only `bank` is not zero; problem.bank_before is empty.
  SparseOutcome run_sparse(const Problem& problem, const SparseRows& bank);
  // The request that run() would plan, for cases that spoil one thing of it. Buffers live until the
  // next call.
  cw_request& request_for(const Problem& problem, const RunOptions& options = {});
  Outcome plan_only(const cw_request& request);
  Outcome supports_only(const cw_request& request);
  Outcome step_only(const Problem& problem, std::int64_t step, const RunOptions& options = {});

  // Calls `watch(true)` before and `watch(false)` after everything that the implementation does for
  // a request: what lies between is its time, and the rest is the suite's own.
  void watch(std::function<void(bool inside)> watch);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace chainwalk::conformance
