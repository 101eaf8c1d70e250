// SPDX-License-Identifier: Apache-2.0
// Runs the common walk here and by numba's simulator.
#include "src/common_walk.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <ctime>
#include <sstream>
#include <stdexcept>

#include "chainwalk/emulator/bench.h"
#include "chainwalk/platform/program.h"
#include "common_walk_script.h"
#include "src/launch.h"

namespace chainwalk::emulator {
namespace {

constexpr int measured_runs = 9;
constexpr int launches_a_run = 64;
constexpr int simulator_runs = 3;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Little-endian bytes in hex, as the script prints them.
std::vector<float> floats_of(const std::string& hex, std::size_t count) {
  if (hex.size() != count * 8) return {};
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const std::string digits = hex.substr(8 * i + 2 * byte, 2);
      bits |= static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16)) << (8 * byte);
    }
    values.push_back(std::bit_cast<float>(bits));
  }
  return values;
}

struct Prepared {
  CommonProblem problem;
  std::vector<Buffer> buffers;
  device::WalkParameters parameters{};
  Launch launch;

  explicit Prepared(const CommonWalk& walk) : problem(make_common_problem(walk)) {
    const auto buffer = [&](const char* name, auto& values, bool writable) {
      buffers.push_back({name, values.data(), values.size() * sizeof(values[0]), writable});
    };
    buffer("bank", problem.bank, true);
    buffer("delta_v", problem.delta_v, false);
    buffer("records", problem.records, false);
    buffer("tile_bounds", problem.bounds, false);
    parameters.bank = problem.bank.data();
    parameters.delta_v = problem.delta_v.data();
    parameters.records = problem.records.data();
    parameters.tile_bounds = problem.bounds.data();
    parameters.head_dim = static_cast<std::int32_t>(walk.head_dim);
    launch.kernel = "common_walk";
    launch.entry = &common_walk;
    launch.parameters = &parameters;
    launch.grid_blocks = walk.blocks;
    launch.block_threads = static_cast<std::int32_t>(walk.head_dim) / common_walk_columns;
    launch.shared_bytes = common_walk_shared_bytes;
    launch.buffers = buffers;
  }
  void run(int launches, unsigned threads) const {
    Sequence sequence;
    sequence.threads = threads;
    sequence.launches.assign(static_cast<std::size_t>(launches), launch);
    const SequenceResult result = run_sequence(std::move(sequence));
    if (!result.findings.empty()) throw std::runtime_error(result.findings.front().message);
  }
};

}  // namespace

CommonProblem make_common_problem(const CommonWalk& walk) {
  CommonProblem problem;
  std::uint32_t group = 0;
  for (std::int64_t i = 0; i < walk.positions; ++i) {
    const bool first = i % 3 != 1;
    const bool last = i % 3 != 0;
    const auto token = static_cast<std::uint32_t>(i * 7 % walk.tokens);
    const auto scale = static_cast<float>(i * 3 % 7 - 3) / 4.0F;
    const auto decay = static_cast<float>(i % 3 + 1) / 4.0F;
    problem.records.push_back(
        {(first ? record_first : 0U) | (last ? record_last : 0U) | (token << record_token_shift),
         group, std::bit_cast<std::uint32_t>(scale), std::bit_cast<std::uint32_t>(decay)});
    group += last ? 1U : 0U;
  }
  for (std::int64_t i = 0; i < walk.positions * walk.head_dim; ++i) {
    const std::int64_t value = (i / walk.head_dim * 13 + i % walk.head_dim * 7) % 37 - 18;
    problem.bank.push_back(static_cast<float>(value) / 8.0F);
  }
  for (std::int64_t i = 0; i < walk.tokens * walk.head_dim; ++i) {
    const std::int64_t value = (i / walk.head_dim * 31 + i % walk.head_dim * 17) % 41 - 20;
    problem.delta_v.push_back(static_cast<float>(value) / 8.0F);
  }
  for (std::int64_t block = 0; block <= walk.blocks; ++block) {
    problem.bounds.push_back(static_cast<std::int32_t>(walk.positions / walk.blocks * block));
  }
  return problem;
}

CommonRun run_common_walk(const CommonWalk& walk, unsigned threads) {
  const Prepared prepared(walk);
  CommonRun result;
  prepared.run(1, threads);
  result.bank = prepared.problem.bank;
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  for (int run = 0; run < measured_runs; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    prepared.run(launches_a_run, threads);
    const auto cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    seconds.push_back(taken.count() / launches_a_run);
    cpu_seconds.push_back(cpu / launches_a_run);
  }
  result.seconds = median(std::move(seconds));
  result.cpu_seconds = median(std::move(cpu_seconds));
  return result;
}

SimulatorRun run_common_walk_by_numba(const CommonWalk& walk, const std::string& python) {
  constexpr int no_numba = 3;  // common_walk.py
  const platform::FinishedProgram finished =
      platform::run_program({python, "-c", common_walk_script, std::to_string(walk.blocks),
                             std::to_string(walk.positions), std::to_string(walk.head_dim),
                             std::to_string(walk.tokens), std::to_string(simulator_runs)});
  if (finished.status == no_numba) return {std::nullopt, python + " has no numba"};
  std::istringstream text(finished.output);
  CommonRun run;
  std::string hex;
  if (finished.status != 0 || !(text >> run.seconds >> run.cpu_seconds >> hex)) {
    return {std::nullopt, python + " could not run it"};
  }
  run.bank = floats_of(hex, static_cast<std::size_t>(walk.positions * walk.head_dim));
  return {run, ""};
}

}  // namespace chainwalk::emulator
