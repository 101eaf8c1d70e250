// SPDX-License-Identifier: Apache-2.0
// chainwalk bench cuda: the walk on a GPU beside its floor.
#include "bench_cuda.h"

#include "chainwalk/cuda/device.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/fault.h"
#include "command.h"
#include "output.h"

namespace chainwalk::cli {
namespace {

Json row_json(const cuda::BenchRow& row) {
  const cuda::BenchCase& problem = row.problem;
  return {{"case", problem.name},
          {"bank", to_string(problem.bank_type)},
          {"snapshot", to_string(problem.form)},
          {"head_dim", problem.head_dim},
          {"num_parallel", problem.num_parallel},
          {"kernel", row.kernel},
          {"warps_per_block", row.warps_per_block},
          {"blocks_per_chunk", row.blocks_per_chunk},
          {"us_per_step", row.us_per_step},
          {"dependent_us_per_step", row.dependent_us_per_step},
          {"bytes_per_step", row.bytes_per_step},
          {"gb_per_s", row.gb_per_s()},
          {"floor_us", row.floor_us},
          {"share_of_floor", row.share_of_floor()},
          {"share_of_copy", row.share_of_copy()},
          {"error", row.error}};
}

void print_row(const cuda::BenchRow& row) {
  say("{:<22} {:<4} {:<4} ", row.problem.name, to_string(row.problem.bank_type),
      to_string(row.problem.form));
  if (!row.error.empty()) {
    say("{}: {}\n", row.kernel, row.error);
  } else {
    say("{:9.2f} us ({:.2f} dependent) {:6.0f} GB/s  {:4.0f} % of the floor  {:4.0f} % of a copy  "
        "{}\n",
        row.us_per_step, row.dependent_us_per_step, row.gb_per_s(), 100 * row.share_of_floor(),
        100 * row.share_of_copy(), row.kernel);
  }
  flush_output();
}

bool is_wanted(const cuda::BenchCase& problem, const std::string& filter) {
  const std::string name =
      problem.name + " " + to_string(problem.bank_type) + " " + to_string(problem.form);
  return filter.empty() || name.find(filter) != std::string::npos;
}

}  // namespace

int run_cuda_bench(CudaBench bench, bool json) {
  if (const std::string why = cuda::why_unavailable(); !why.empty()) {
    throw InputError({"", std::nullopt, std::nullopt, fmt::format("bench cuda: {}", why)});
  }
  if (!bench.kernel.empty()) bench.settings.wish.kernel = bench.kernel;
  bench.settings.reference = [](const Problem& problem, std::int64_t step, const Outputs& outputs) {
    reference::run_step(problem, step, outputs);
  };
  Json rows = Json::array();
  std::int64_t wanted = 0;
  std::int64_t failed = 0;
  for (const cuda::BenchCase& problem :
       bench.scaling ? cuda::scaling_cases() : cuda::published_cases()) {
    if (!is_wanted(problem, bench.filter)) continue;
    ++wanted;
    const cuda::BenchRow row = cuda::run_case(problem, bench.settings);
    failed += row.error.empty() ? 0 : 1;
    if (json) {
      rows.push_back(row_json(row));
    } else {
      print_row(row);
    }
  }
  if (wanted == 0) {
    throw InputError({"", std::nullopt, std::nullopt,
                      fmt::format("option --case '{}' names no problem", bench.filter)});
  }
  if (json) {
    const cuda::DeviceInfo info = cuda::device_info(bench.settings.device);
    print_json({{"command", "bench"},
                {"implementation", "cuda"},
                {"device", info.name},
                {"driver_version", info.driver_version},
                {"runtime_version", info.runtime_version},
                {"rows", std::move(rows)}});
  } else {
    say("{} of {} problems measured, each after its bits were found equal to the reference's\n",
        wanted - failed, wanted);
  }
  return failed == 0 ? status_ok : status_different;
}

}  // namespace chainwalk::cli
