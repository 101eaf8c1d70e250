// SPDX-License-Identifier: Apache-2.0
// The benchmark's run: memory first, then the floor's best distance, then pairs of walk and floor.
#include "chainwalk/reference/bench.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "bench_problem.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/platform/executor.h"
#include "floor.h"
#include "numpy_walk.h"
#include "resident.h"

namespace chainwalk::reference {
namespace {

template <typename Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The value at share `at` of the sorted values.
double quantile(std::vector<double> values, double at) {
  const auto index = static_cast<std::size_t>(at * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index),
                   values.end());
  return values[index];
}
double median(const std::vector<double>& values) { return quantile(values, 0.5); }

// Passes over all steps, so that every row has left the caches before it comes again.
struct Passes {
  const BenchProblem& bench;
  Options options;

  double walk() const {
    return seconds_of([&] {
      for (std::int64_t step = 0; step < steps(); ++step) {
        run_step(bench.problem(), step, bench.outputs(), options);
      }
    });
  }
  double touch(FloorPrefetch prefetch) const {
    return seconds_of([&] {
      for (std::int64_t step = 0; step < steps(); ++step) {
        touch_step(bench.problem(), step, bench.outputs(), options.threads, prefetch);
      }
    });
  }
  std::int64_t steps() const { return bench.problem().shape.steps(); }
};

FloorPrefetch best_prefetch(const Passes& passes, int repetitions) {
  std::vector<FloorPrefetch> ways;
  for (const bool pages_first : {false, true}) {
    for (const std::int64_t rows : {0, 1, 2, 4, 8, 16}) ways.push_back({rows, pages_first});
  }
  std::vector<std::vector<double>> times(ways.size());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < ways.size(); ++i) times[i].push_back(passes.touch(ways[i]));
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < ways.size(); ++i) {
    if (median(times[i]) < median(times[best])) best = i;
  }
  return ways[best];
}

void measure_pairs(const Passes& passes, BenchResult& result) {
  const FloorPrefetch prefetch{result.floor_prefetch_rows, result.floor_pages_first};
  std::vector<double> walks, floors, shares;
  for (int repetition = 0; repetition < result.settings.repetitions; ++repetition) {
    const bool walk_first = repetition % 2 == 0;
    const double before = walk_first ? passes.walk() : passes.touch(prefetch);
    const double after = walk_first ? passes.touch(prefetch) : passes.walk();
    walks.push_back(walk_first ? before : after);
    floors.push_back(walk_first ? after : before);
    shares.push_back(floors.back() / walks.back());
  }
  const auto steps = static_cast<double>(result.steps);
  result.seconds_per_step = median(walks) / steps;
  result.floor_seconds_per_step = median(floors) / steps;
  result.share_of_floor = median(shares);
  result.share_of_floor_low = quantile(shares, 0.25);
  result.share_of_floor_high = quantile(shares, 0.75);
}

}  // namespace

BenchResult run_bench(const BenchSettings& settings,
                      const std::function<void(const std::string&)>& progress) {
  const auto phase = [&](const char* name) {
    if (progress) progress(name);
  };
  if (settings.repetitions < 1) {
    throw std::invalid_argument("repetitions is " + std::to_string(settings.repetitions) +
                                "; it must be at least 1");
  }
  BenchResult result{};
  result.settings = settings;
  if (settings.threads == 0) result.settings.threads = platform::available_threads();

  phase("making the problem");
  const BenchProblem bench(settings);
  const Passes passes{bench, {result.settings.threads, settings.instruction_set}};
  result.steps = passes.steps();
  result.problem_bytes = bench.bytes();
  result.bytes_per_step = bench.bytes_per_step();

  phase("memory");
  result.extra_bytes = peak_growth([&] { passes.walk(); });

  phase("the floor's prefetch distance");
  const FloorPrefetch prefetch = best_prefetch(passes, std::min(settings.repetitions, 5));
  result.floor_prefetch_rows = prefetch.rows;
  result.floor_pages_first = prefetch.pages_first;

  phase("walk and floor in pairs");
  measure_pairs(passes, result);

  if (settings.oracle) {
    phase("oracle");
    result.oracle_seconds_per_step =
        seconds_of([&] { oracle::run_step(bench.problem(), 0, bench.outputs()); });
  }
  phase("NumPy");
  const NumpyTime numpy = time_numpy(settings);
  result.numpy_seconds_per_step = numpy.seconds_per_step;
  result.numpy_absent = numpy.absent;
  return result;
}

}  // namespace chainwalk::reference
