// SPDX-License-Identifier: Apache-2.0
// Times graph replays of a plan, of the row-touch floor and of a device copy, in one run.
#include "chainwalk/cuda/bench.h"

#include <algorithm>
#include <new>

#include "bench_problem.h"
#include "chainwalk/cuda/device.h"
#include "memory_kernels.h"
#include "runtime.h"

namespace chainwalk::cuda {
namespace {

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  double us_since(const Event& begin) const {
    float milliseconds = 0;
    check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

// A stream that destroys itself.
struct Stream0 {
  cudaStream_t stream = nullptr;
  Stream0() {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~Stream0() { (void)cudaStreamDestroy(stream); }
  Stream0(const Stream0&) = delete;
  Stream0& operator=(const Stream0&) = delete;
};

// Median of the repetitions, after three that warm up.
template <typename Work>
double median_us(cudaStream_t stream, int repetitions, const Work& work) {
  constexpr int warm_up = 3;
  std::vector<double> times;
  for (int i = 0; i < warm_up + repetitions; ++i) {
    Event begin;
    Event end;
    begin.record(stream);
    work();
    end.record(stream);
    const double us = end.us_since(begin);
    if (i >= warm_up) times.push_back(us);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

double floor_us(const BenchProblem& problem, const BenchSettings& settings, cudaStream_t stream) {
  const ProblemShape& shape = problem.shape();
  const auto out_bytes = static_cast<std::uint64_t>(shape.snapshot_row_bytes());
  std::int64_t most = 0;
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    most = std::max(most, problem.groups(step));
  }
  DeviceBuffer rows(settings.device, static_cast<std::uint64_t>(most) * out_bytes + 16);
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    const RowTouch touch{problem.request().bank.data,
                         static_cast<std::uint64_t>(shape.bank_row_bytes()),
                         problem.slots(step),
                         static_cast<std::uint64_t>(problem.groups(step)),
                         rows.data(),
                         out_bytes};
    check(launch_row_touch(touch, stream), "row touch");
  }
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  const double us = median_us(stream, settings.repetitions, [&] {
    check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
  });
  (void)cudaGraphExecDestroy(executable);
  (void)cudaGraphDestroy(graph);
  return us / static_cast<double>(settings.steps);
}

double copy_bytes_per_us(const BenchSettings& settings, cudaStream_t stream) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30U;
  const DeviceBuffer from(settings.device, bytes);
  const DeviceBuffer to(settings.device, bytes);
  const double us = median_us(stream, 5, [&] {
    check(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpyAsync");
  });
  return 2.0 * static_cast<double>(bytes) / us;
}

ProblemShape tiling_shape(const BenchCase& problem) {
  ProblemShape shape;
  shape.bank_type = problem.bank_type;
  shape.snapshot = problem.form;
  shape.slots = problem.slots_per_stream * problem.num_parallel;
  shape.head_dim = problem.head_dim;
  shape.positions = problem.chunk_size * problem.writes_per_token;
  shape.num_parallel = shape.num_chunks = problem.num_parallel;
  shape.chunk_size = problem.chunk_size;
  return shape;
}

void measure(BenchRow& row, const BenchSettings& settings, const plan::Tiling& tiling) {
  const CurrentDevice current(settings.device);
  BenchProblem problem(row.problem, settings, tiling);
  const auto made = plan::make_plan(problem.request(), device_class(settings.device));
  if (const auto* refusal = std::get_if<plan::Refusal>(&made)) {
    row.error = refusal->message;
    return;
  }
  const auto& plan = std::get<plan::Plan>(made);
  row.kernel = std::string(device::kernel_family[plan.kernel].name);
  row.why = plan.why;
  std::unique_ptr<BoundPlan> bound;
  if (auto refusal = BoundPlan::bind(plan, problem.request(), settings.device, &bound)) {
    row.error = refusal->message;
    return;
  }
  const Stream0 own;
  (void)bound->launch(0, 0, own.stream);
  synchronize(settings.device, own.stream);
  if (auto wrong = problem.check_first_step(settings)) {
    row.error = *wrong;
    return;
  }
  problem.reset();
  const auto us_of_a_step = [&](int dependent) {
    const StepGraph graph(*bound, settings.device, 0, settings.steps, dependent);
    return median_us(own.stream, settings.repetitions, [&] { graph.replay(own.stream); }) /
           static_cast<double>(settings.steps);
  };
  row.us_per_step = us_of_a_step(0);
  if (!plan::check_step(plan, 0, 1)) row.dependent_us_per_step = us_of_a_step(1);
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    row.bytes_per_step += problem.bytes(step) / static_cast<double>(settings.steps);
  }
  row.floor_us = floor_us(problem, settings, own.stream);
  row.copy_bytes_per_us = copy_bytes_per_us(settings, own.stream);
}

}  // namespace

BenchRow run_case(const BenchCase& problem, const BenchSettings& settings) {
  BenchRow row;
  row.problem = problem;
  const auto chosen =
      plan::choose_tiling(tiling_shape(problem), device_class(settings.device), settings.wish);
  if (const auto* refusal = std::get_if<plan::Refusal>(&chosen)) {
    row.error = refusal->message;
    return row;
  }
  plan::Tiling tiling = std::get<plan::Tiling>(chosen);
  if (settings.tile_positions > 0) {
    const std::int64_t block = settings.tile_positions * tiling.warps_per_block;
    const std::int64_t positions = tiling_shape(problem).positions;
    tiling.blocks_per_chunk = (positions + block - 1) / block;
  }
  row.warps_per_block = tiling.warps_per_block;
  row.blocks_per_chunk = tiling.blocks_per_chunk;
  try {
    measure(row, settings, tiling);
  } catch (const std::bad_alloc&) {
    row.error = "the device has too little free memory";
  }
  return row;
}

}  // namespace chainwalk::cuda
