// SPDX-License-Identifier: Apache-2.0
// Runs a member under the emulator (ARI, SNP, QNT, SRC, TIL-5, GEO-4).
#include "kernel_case.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "chainwalk/platform/memory.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/tiles.h"
#include "geometry.h"

namespace chainwalk::device {
namespace {

// SRC-2: what another kernel leaves in the snapshot before a step.
void gather_rows(const Problem& problem, std::int64_t step, const Outputs& outputs,
                 std::span<std::byte> snapshot) {
  const ProblemShape& shape = problem.shape;
  const auto bytes = static_cast<std::size_t>(shape.bank_row_bytes());
  for (std::int64_t stream = 0; stream < shape.num_parallel; ++stream) {
    const std::int64_t chunk = shape.chunk(step, stream);
    const auto records = problem.chunk_records(chunk);
    for (const Group& group : groups_of(records)) {
      if (group.ordinal < 0) continue;
      const std::size_t slot = records[static_cast<std::size_t>(group.end - 1)].slot;
      const auto row = static_cast<std::size_t>(chunk * shape.positions + group.ordinal);
      std::memcpy(snapshot.data() + row * bytes, outputs.bank.data() + slot * bytes, bytes);
    }
  }
}

std::string first_difference(const char* tensor, std::span<const std::byte> found,
                             std::span<const std::byte> needed) {
  const auto [at, other] = std::mismatch(found.begin(), found.end(), needed.begin());
  if (at == found.end()) return {};
  return std::string(tensor) + " differs first at byte " + std::to_string(at - found.begin());
}

std::string compare(const ConstOutputs& found, const ConstOutputs& needed) {
  for (std::string text :
       {first_difference("bank", found.bank, needed.bank),
        first_difference("snapshot", found.snapshot, needed.snapshot),
        first_difference("payload", found.payload, needed.payload),
        first_difference("scale", std::as_bytes(found.scale), std::as_bytes(needed.scale))}) {
    if (!text.empty()) return text;
  }
  return {};
}

template <typename T>
emulator::Buffer input(const char* name, std::span<const T> view) {
  return {name, const_cast<T*>(view.data()), view.size_bytes(), false};
}
template <typename T>
emulator::Buffer output(const char* name, std::span<T> view) {
  return {name, view.data(), view.size_bytes(), true};
}

plan::Tensor dense_tensor(const ProblemShape& shape, std::span<std::byte> rows) {
  plan::Tensor tensor;
  tensor.data = rows.data();
  tensor.type = plan::ElementType::bf16;
  tensor.rank = 2;
  tensor.shape = {shape.snapshot_rows(), shape.head_dim, 0};
  tensor.stride = {shape.head_dim, 1, 0};
  return tensor;
}

// What a launch may touch. `dense_rows` stands for the snapshot where it is not empty (SRC-2).
std::vector<emulator::Buffer> buffers_of(const Problem& problem, const Outputs& outputs,
                                         std::vector<std::byte>& dense_rows) {
  return {output("bank", outputs.bank),
          input("delta_v", problem.delta_v),
          input("records", problem.records),
          input("tile_bounds", problem.tile_bounds),
          input("group_prefix", problem.group_prefix),
          output("snapshot", dense_rows.empty() ? outputs.snapshot : std::span(dense_rows)),
          output("payload", outputs.payload),
          output("scale", outputs.scale)};
}

// The same problem with rows ahead of its own bank's.
struct Shifted {
  platform::Mapping memory;
  std::vector<Record> records;
  Problem problem;

  Shifted(const Problem& given, std::int64_t rows) : problem(given) {
    const std::int64_t row_bytes = given.shape.bank_row_bytes();
    memory = platform::Mapping::sparse(
        static_cast<std::uint64_t>((rows + given.shape.slots) * row_bytes));
    std::ranges::copy(given.bank_before,
                      memory.bytes().begin() + static_cast<std::ptrdiff_t>(rows * row_bytes));
    records.assign(given.records.begin(), given.records.end());
    for (Record& record : records) record.slot += static_cast<std::uint32_t>(rows);
    problem.records = records;
    problem.shape.slots += rows;
  }
};

emulator::Options options_of(const Trial& run) {
  emulator::Options options;
  options.schedule = run.schedule;
  options.checked = run.checked;
  options.dependent = run.dependent;
  options.threads = 1;
  return options;
}

// Runs the plan's steps; dense rows are gathered ahead of each, where there are any.
std::vector<emulator::Finding> run_plan(const Problem& problem, const Outputs& outputs,
                                        std::vector<std::byte>& dense_rows, const plan::Plan& plan,
                                        const plan::DeviceClass& device, const Trial& run) {
  const std::vector<emulator::Buffer> all = buffers_of(problem, outputs, dense_rows);
  const emulator::Options options = options_of(run);
  const auto steps = [&](std::int64_t begin, std::int64_t end) {
    return run.entry == nullptr
               ? emulator::run_steps(plan, device, all, begin, end, options)
               : emulator::run_steps_of(run.entry, plan, device, all, begin, end, options);
  };
  if (dense_rows.empty()) return steps(0, problem.shape.steps());
  std::vector<emulator::Finding> findings;
  for (std::int64_t step = 0; step < problem.shape.steps() && findings.empty(); ++step) {
    gather_rows(problem, step, outputs, dense_rows);
    findings = steps(step, step + 1);
  }
  return findings;
}

}  // namespace

emulator::Schedule numbered_schedule(std::uint64_t number) {
  emulator::Schedule schedule;
  schedule.seed = number;
  if (number == 0) return schedule;
  schedule.kind =
      number % 2 == 0 ? emulator::ScheduleKind::random : emulator::ScheduleKind::priority_change;
  schedule.change_points = 1 + static_cast<int>(number / 2 % 6);
  return schedule;
}

Outcome run_case(const Problem& given, std::size_t kernel, const Trial& run, const char* device) {
  const KernelTraits& traits = kernel_family[kernel];
  const bool dense = traits.source == BaseSource::dense_rows;
  // TIL-4: where no rows are written a problem's ordinals are free, but dense rows need them.
  const ProblemShape& shape = given.shape;
  const Problem own = dense ? with_tiles(given, shape.warps_per_block, shape.blocks_per_chunk,
                                         {given.tile_bounds.begin(), given.tile_bounds.end()})
                            : given;
  const OutputBuffers buffers(own);
  Outputs outputs = buffers.views();
  std::optional<Shifted> shifted;
  if (run.rows_before > 0) {
    shifted.emplace(own, run.rows_before);
    outputs.bank = shifted->memory.bytes();
  }
  const Problem& problem = shifted ? shifted->problem : own;
  std::vector<std::byte> dense_rows;
  plan::Request request = plan::request_for(problem, outputs);
  request.wish.kernel = std::string(traits.name);
  request.wish.portable = traits.image == Image::portable ? 1 : 0;
  if (dense) {
    dense_rows.resize(static_cast<std::size_t>(shape.snapshot_rows() * shape.bank_row_bytes()));
    request.snapshot = dense_tensor(shape, dense_rows);
    request.snapshot_step = shape.num_parallel;
    request.wish.source = traits.source;
  }
  const plan::DeviceClass& target = *plan::find_device(device);
  const auto planned = plan::make_plan(request, target);
  Outcome outcome;
  if (const auto* refusal = std::get_if<plan::Refusal>(&planned)) {
    outcome.text = refusal->message;
    return outcome;
  }
  outcome.ran = true;
  outcome.findings =
      run_plan(problem, outputs, dense_rows, std::get<plan::Plan>(planned), target, run);
  const OutputBuffers expected(own);
  reference::run(own, expected.views(), {.threads = 1});
  ConstOutputs found = outputs;
  found.bank = outputs.bank.last(expected.views().bank.size());
  outcome.mismatch = compare(found, expected.views());
  return outcome;
}

}  // namespace chainwalk::device
