// SPDX-License-Identifier: Apache-2.0
// chainwalk bench emulator: steps of the kernels under the emulator, plain and checked, and one
// kernel that numba's CUDA simulator can run too.
#include "bench_emulator.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <vector>

#include "chainwalk/emulator/bench.h"
#include "chainwalk/emulator/emulator.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/plan/tiling.h"
#include "chainwalk/platform/executor.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"
#include "chainwalk/spec/tiles.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

using emulator::ScheduleKind;

[[noreturn]] void refuse(const std::string& text) {
  throw InputError({"", std::nullopt, std::nullopt, text});
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of one run: by the clock, and of all processors together. The second tells what a busy machine
// makes of the first.
struct Taken {
  double seconds = 0;
  double cpu_seconds = 0;
};

template <typename Work>
Taken time_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC};
}

Taken median_of(const std::vector<Taken>& all) {
  std::vector<double> seconds;
  std::vector<double> cpu_seconds;
  for (const Taken& taken : all) {
    seconds.push_back(taken.seconds);
    cpu_seconds.push_back(taken.cpu_seconds);
  }
  return {median(std::move(seconds)), median(std::move(cpu_seconds))};
}

Problem make_problem(const EmulatorBench& bench) {
  generate::Parameters parameters;
  parameters.bank_type = bench.bank_type;
  parameters.snapshot = bench.snapshot;
  parameters.head_dim = bench.head_dim;
  parameters.num_parallel = bench.num_parallel;
  parameters.steps = 1;
  parameters.chunk_size = bench.chunk_size;
  parameters.positions = bench.chunk_size * bench.writes_per_token;
  parameters.slots = bench.num_parallel * parameters.positions;
  parameters.groups = generate::Groups::single;
  parameters.values = generate::Values::plain;
  parameters.invalid_share = 0;
  parameters.random_tiles = false;
  return generate::make_problem(parameters, 1, 0);
}

struct Row {
  std::string form, kernel, schedule, error;
  Taken plain;                     // a step, the median
  std::optional<Taken> checked;    // where this program has the checked build
  double slow_down = 0;            // the median of the pairs
  double operations_a_second = 0;  // plain
};

template <typename T>
emulator::Buffer buffer_of(const char* name, std::span<T> values, bool writable) {
  return {name, const_cast<std::remove_const_t<T>*>(values.data()), values.size_bytes(), writable};
}

// One form on one problem: its plan, its buffers, and what the reference leaves.
class Measured {
 public:
  Measured(const Problem& problem, const plan::Tiling& tiling, const plan::DeviceClass& device)
      : problem_(with_standard_tiles(problem, tiling.warps_per_block, tiling.blocks_per_chunk)),
        outputs_(problem_),
        device_(device) {
    const Outputs& views = outputs_.views();
    plan::Request request = plan::request_for(problem_, views);
    request.wish.kernel = std::string(device::kernel_family[tiling.kernel].name);
    const auto made = plan::make_plan(request, device);
    if (const auto* refusal = std::get_if<plan::Refusal>(&made)) refuse(refusal->message);
    plan_ = std::get<plan::Plan>(made);
    buffers_ = {buffer_of("bank", views.bank, true),
                buffer_of("delta_v", problem_.delta_v, false),
                buffer_of("records", problem_.records, false),
                buffer_of("tile_bounds", problem_.tile_bounds, false),
                buffer_of("group_prefix", problem_.group_prefix, false),
                buffer_of("snapshot", views.snapshot, true),
                buffer_of("payload", views.payload, true),
                buffer_of("scale", views.scale, true)};
  }

  // What a step leaves is the reference's; else why not.
  std::string check(const emulator::Options& options) {
    std::ranges::copy(problem_.bank_before, outputs_.views().bank.begin());
    const auto findings = run(options);
    if (!findings.empty()) return findings.front().message;
    const OutputBuffers expected(problem_);
    reference::run(problem_, expected.views());
    const ConstOutputs found = outputs_.views();
    const ConstOutputs needed = expected.views();
    const bool equal = std::ranges::equal(found.bank, needed.bank) &&
                       std::ranges::equal(found.snapshot, needed.snapshot) &&
                       std::ranges::equal(found.payload, needed.payload) &&
                       std::ranges::equal(std::as_bytes(found.scale), std::as_bytes(needed.scale));
    return equal ? "" : "left other bits than the reference";
  }
  std::vector<emulator::Finding> run(const emulator::Options& options) {
    return emulator::run_steps(plan_, device_, buffers_, 0, 1, options);
  }

 private:
  Problem problem_;
  OutputBuffers outputs_;
  const plan::DeviceClass& device_;
  plan::Plan plan_;
  std::vector<emulator::Buffer> buffers_;
};

bool has_checked_build(Measured& measured, emulator::Options options) {
  options.checked = true;
  try {
    measured.run(options);
  } catch (const std::invalid_argument&) {
    return false;
  }
  return true;
}

Row measure(Measured& measured, const EmulatorBench& bench, ScheduleKind kind) {
  Row row;
  emulator::Options options;
  options.schedule.kind = kind;
  options.schedule.seed = 1;
  options.threads = bench.threads;
  row.schedule = emulator::to_string(options.schedule);
  row.error = measured.check(options);
  if (!row.error.empty()) return row;
  const bool checked = has_checked_build(measured, options);
  emulator::Options watching = options;
  watching.checked = true;
  std::vector<Taken> plain, watched;
  std::vector<double> ratios;
  for (int pair = 0; pair < bench.repetitions; ++pair) {
    plain.push_back(time_of([&] { measured.run(options); }));
    if (!checked) continue;
    watched.push_back(time_of([&] { measured.run(watching); }));
    ratios.push_back(watched.back().cpu_seconds / plain.back().cpu_seconds);
  }
  if (checked) {
    row.error = measured.check(watching);
    row.checked = median_of(watched);
    row.slow_down = median(ratios);
  }
  row.plain = median_of(plain);
  row.operations_a_second = static_cast<double>(bench.num_parallel * bench.chunk_size *
                                                bench.writes_per_token * bench.head_dim) /
                            row.plain.seconds;
  return row;
}

struct FormWish {
  std::string name;
  plan::GeometryWish wish;
};

// The forms that are asked for: one kernel, or the planner's choice of each.
std::vector<FormWish> wishes(const EmulatorBench& bench) {
  std::vector<FormWish> all;
  if (!bench.kernel.empty()) {
    all.push_back({"as asked", {}});
    all.back().wish.kernel = bench.kernel;
    return all;
  }
  all.push_back({"whole rows", {}});
  all.push_back({"one slice", {}});
  all.back().wish.slices_per_warp = 1;
  all.push_back({"two slices", {}});
  all.back().wish.slices_per_warp = 2;
  return all;
}

std::vector<Row> measure_forms(const EmulatorBench& bench, Progress& progress) {
  const Problem problem = make_problem(bench);
  const plan::DeviceClass& device = *plan::find_device("h100");
  std::vector<Row> rows;
  for (const FormWish& form : wishes(bench)) {
    const auto chosen = plan::choose_tiling(problem.shape, device, form.wish);
    if (const auto* refusal = std::get_if<plan::Refusal>(&chosen)) {
      if (!bench.kernel.empty()) refuse(refusal->message);
      rows.emplace_back();
      rows.back().form = form.name;
      rows.back().kernel = "none";
      rows.back().error = refusal->message;
      continue;
    }
    const auto& tiling = std::get<plan::Tiling>(chosen);
    Measured measured(problem, tiling, device);
    for (const ScheduleKind kind : {ScheduleKind::round_robin, ScheduleKind::random}) {
      progress.note(static_cast<std::int64_t>(rows.size()) + 1, form.name);
      Row row = measure(measured, bench, kind);
      row.form = form.name;
      row.kernel = std::string(device::kernel_family[tiling.kernel].name);
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

struct Comparison {
  emulator::CommonWalk walk;
  emulator::CommonRun run;
  bool reference_bits = false;
  emulator::SimulatorRun numba;
  bool numba_bits = false;

  double ratio() const { return numba.run->seconds / run.seconds; }
  double cpu_ratio() const { return numba.run->cpu_seconds / run.cpu_seconds; }
  bool failed() const { return !reference_bits || (numba.run && !numba_bits); }
};

// What the reference leaves of the common walk.
std::vector<float> reference_bank(const emulator::CommonWalk& walk) {
  const emulator::CommonProblem made = emulator::make_common_problem(walk);
  Problem problem;
  problem.shape = {.bank_type = BankType::f32,
                   .snapshot = SnapshotForm::none,
                   .slots = walk.positions,
                   .head_dim = walk.head_dim,
                   .num_chunks = 1,
                   .positions = walk.positions,
                   .num_parallel = 1,
                   .chunk_size = walk.tokens,
                   .delta_v_rows = walk.tokens};
  problem.bank_before = std::as_bytes(std::span(made.bank));
  problem.delta_v = made.delta_v;
  problem.records = made.records;
  problem = with_standard_tiles(problem, 8, 1);
  std::vector<float> bank = made.bank;
  reference::run(problem, {std::as_writable_bytes(std::span(bank)), {}, {}, {}});
  return bank;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(std::as_bytes(std::span(a)), std::as_bytes(std::span(b)));
}

Comparison compare_with_numba(const EmulatorBench& bench) {
  Comparison result;
  result.run = emulator::run_common_walk(result.walk, bench.threads);
  result.reference_bits = same_bits(result.run.bank, reference_bank(result.walk));
  if (bench.python.empty()) {
    result.numba.absent = "left out";
  } else {
    result.numba = emulator::run_common_walk_by_numba(result.walk, bench.python);
  }
  if (result.numba.run) result.numba_bits = same_bits(result.run.bank, result.numba.run->bank);
  return result;
}

void print_row(const Row& row) {
  say("{:<10}  {:<12}  ", row.form, row.schedule);
  if (row.error.empty()) {
    say("plain {:7.1f} ms a step ({:.0f} of CPU), {:6.0f} M lane operations a second; ",
        row.plain.seconds * 1e3, row.plain.cpu_seconds * 1e3, row.operations_a_second / 1e6);
    if (row.checked) {
      say("checked {:7.1f} ms ({:.0f}), {:.1f} times the work; ", row.checked->seconds * 1e3,
          row.checked->cpu_seconds * 1e3, row.slow_down);
    } else {
      say("no checked build (g++ makes one); ");
    }
  }
  say("{}{}{}\n", row.kernel, row.error.empty() ? "" : ": ", row.error);
}

void print_comparison(const Comparison& comparison) {
  const emulator::CommonWalk& walk = comparison.walk;
  const auto operations = static_cast<double>(walk.lane_operations());
  say("one kernel of {} blocks, {} columns, {} lane operations: {:.3f} ms a launch ({:.3f} of "
      "CPU), "
      "{:.0f} M a second; {}\n",
      walk.blocks, walk.head_dim, walk.lane_operations(), comparison.run.seconds * 1e3,
      comparison.run.cpu_seconds * 1e3, operations / comparison.run.seconds / 1e6,
      comparison.reference_bits ? "the reference's bits" : "OTHER BITS THAN THE REFERENCE");
  if (!comparison.numba.run) {
    say("numba's CUDA simulator: absent: {} (pip install numba; --python names the interpreter)\n",
        comparison.numba.absent);
    return;
  }
  say("numba's CUDA simulator: {:.0f} ms for the same launch ({:.0f} of CPU), {:.0f} times as long "
      "({:.0f} times the CPU); {}\n",
      comparison.numba.run->seconds * 1e3, comparison.numba.run->cpu_seconds * 1e3,
      comparison.ratio(), comparison.cpu_ratio(),
      comparison.numba_bits ? "the same bits" : "OTHER BITS");
}

Json row_json(const Row& row) {
  return {{"form", row.form},
          {"kernel", row.kernel},
          {"schedule", row.schedule},
          {"plain_seconds", row.plain.seconds},
          {"plain_cpu_seconds", row.plain.cpu_seconds},
          {"checked_seconds", row.checked ? Json(row.checked->seconds) : Json(nullptr)},
          {"checked_cpu_seconds", row.checked ? Json(row.checked->cpu_seconds) : Json(nullptr)},
          {"slow_down", row.checked ? Json(row.slow_down) : Json(nullptr)},
          {"lane_operations_per_second", row.operations_a_second},
          {"error", row.error}};
}

Json comparison_json(const Comparison& comparison) {
  const bool ran = comparison.numba.run.has_value();
  return {{"lane_operations", comparison.walk.lane_operations()},
          {"seconds", comparison.run.seconds},
          {"cpu_seconds", comparison.run.cpu_seconds},
          {"reference_bits", comparison.reference_bits},
          {"numba_seconds", ran ? Json(comparison.numba.run->seconds) : Json(nullptr)},
          {"numba_bits", ran ? Json(comparison.numba_bits) : Json(nullptr)},
          {"numba_cpu_seconds", ran ? Json(comparison.numba.run->cpu_seconds) : Json(nullptr)},
          {"ratio", ran ? Json(comparison.ratio()) : Json(nullptr)},
          {"cpu_ratio", ran ? Json(comparison.cpu_ratio()) : Json(nullptr)},
          {"numba_absent", comparison.numba.absent}};
}

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : -1;
}

}  // namespace

int run_emulator_bench(const EmulatorBench& given, bool json) {
  EmulatorBench bench = given;
  if (bench.threads == 0) bench.threads = platform::available_threads();
  const double load = load_average();
  const double a_switch = emulator::seconds_per_switch();
  Progress progress(!json);
  const std::vector<Row> rows = measure_forms(bench, progress);
  progress.note(static_cast<std::int64_t>(rows.size()) + 1, "the kernel for numba");
  const Comparison comparison = compare_with_numba(bench);
  progress.clear();
  const bool failed = comparison.failed() || std::ranges::any_of(rows, [](const Row& row) {
                        return !row.error.empty() && row.kernel != "none";
                      });
  if (json) {
    Json all = Json::array();
    for (const Row& row : rows) all.push_back(row_json(row));
    print_json({{"command", "bench"},
                {"implementation", "emulator"},
                {"bank", to_string(bench.bank_type)},
                {"snapshot", to_string(bench.snapshot)},
                {"head_dim", bench.head_dim},
                {"num_parallel", bench.num_parallel},
                {"chunk_size", bench.chunk_size},
                {"writes_per_token", bench.writes_per_token},
                {"threads", bench.threads},
                {"load_before", load},
                {"seconds_per_switch", a_switch},
                {"rows", std::move(all)},
                {"numba", comparison_json(comparison)}});
  } else {
    say("{} bank, snapshot {}, hd {}, P {}, C {}, W {}, {} threads; load {:.1f} before; a fiber "
        "switch takes {:.1f} ns\n",
        to_string(bench.bank_type), to_string(bench.snapshot), bench.head_dim, bench.num_parallel,
        bench.chunk_size, bench.writes_per_token, bench.threads, load, a_switch * 1e9);
    for (const Row& row : rows) print_row(row);
    print_comparison(comparison);
  }
  return failed ? status_different : status_ok;
}

}  // namespace chainwalk::cli
