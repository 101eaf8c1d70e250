// SPDX-License-Identifier: Apache-2.0
// Steps of a problem on all threads (DET-1, TIL-5): checks of the arguments, then the walk of
// chainwalk/reference/walk.h under the rules of the specification.
#include "chainwalk/reference/reference.h"

#include <stdexcept>
#include <string>
#include <vector>

#include "chainwalk/platform/executor.h"
#include "chainwalk/reference/walk.h"
#include "float_environment.h"
#include "vector_rows.h"
#include "work_items.h"

namespace chainwalk::reference {
namespace {

void require_size(const char* tensor, std::size_t found, std::int64_t needed) {
  if (found == static_cast<std::size_t>(needed)) return;
  throw std::invalid_argument(std::string("output ") + tensor + " has " + std::to_string(found) +
                              " elements; the problem needs " + std::to_string(needed));
}

void require_outputs(const ProblemShape& shape, const Outputs& outputs) {
  require_size("bank (bytes)", outputs.bank.size(), shape.slots * shape.bank_row_bytes());
  const std::int64_t bytes = shape.snapshot_rows() * shape.snapshot_row_bytes();
  if (is_dense(shape.snapshot)) require_size("snapshot (bytes)", outputs.snapshot.size(), bytes);
  if (is_quantized(shape.snapshot)) {
    require_size("payload (bytes)", outputs.payload.size(), bytes);
    require_size("scale", outputs.scale.size(), shape.snapshot_rows());
  }
}

void require_available(InstructionSet set) {
  if (is_available(set)) return;
  throw std::invalid_argument(std::string("instruction set '") + to_string(set) +
                              "' is not available on this processor or in this build");
}

void walk_item(const Problem& problem, std::int64_t step, const WorkItem& item,
               const RowKernels* kernels, const Outputs& outputs) {
  const DefaultFloatEnvironment environment;
  const SpecRules rules;
  const ChunkView chunk(problem, step, item.stream);
  const auto walk_with = [&](auto& rows) {
    for (std::int64_t tile = item.tile_begin; tile < item.tile_end; ++tile) {
      walk_tile(rules, chunk, tile, item.columns, outputs, rows);
    }
  };
  if (kernels == nullptr) {
    ColumnwiseRows<SpecRules> rows(rules);
    walk_with(rows);
  } else {
    VectorRows rows(*kernels, chunk, item, outputs);
    walk_with(rows);
  }
}

}  // namespace

void run_step(const Problem& problem, std::int64_t step, const Outputs& outputs,
              const Options& options) {
  if (step < 0 || step >= problem.shape.steps()) {
    throw std::out_of_range("step is " + std::to_string(step) + "; the problem has " +
                            std::to_string(problem.shape.steps()) + " steps, counted from 0");
  }
  require_available(options.instruction_set);
  require_outputs(problem.shape, outputs);
  const unsigned threads = options.threads == 0 ? platform::available_threads() : options.threads;
  const std::vector<WorkItem> items = work_items(problem, step, threads);
  const RowKernels* kernels = row_kernels(options.instruction_set);
  platform::parallel_for(0, static_cast<std::int64_t>(items.size()), threads,
                         [&](std::int64_t index, unsigned /*worker*/) {
                           walk_item(problem, step, items[static_cast<std::size_t>(index)], kernels,
                                     outputs);
                         });
}

void run(const Problem& problem, const Outputs& outputs, const Options& options) {
  require_available(options.instruction_set);
  require_outputs(problem.shape, outputs);
  for (std::int64_t step = 0; step < problem.shape.steps(); ++step) {
    run_step(problem, step, outputs, options);
  }
}

}  // namespace chainwalk::reference
