// SPDX-License-Identifier: Apache-2.0
// Steps of a plan under the emulator (LCH-1, LCH-2, LCH-3).
#include "src/run.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <string_view>

#include "geometry.h"
#include "src/kernel_table.h"
#include "src/tensor_map.h"

namespace chainwalk::emulator {
namespace {

constexpr std::int64_t steps_a_sequence = 64;
constexpr std::string_view usual_device = "h100";  // of the command line

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("emulator: " + what);
}

const Buffer* buffer_of(std::span<const Buffer> buffers, const void* address) {
  for (const Buffer& buffer : buffers) {
    const auto distance =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(buffer.data);
    if (distance < buffer.bytes) return &buffer;
  }
  return nullptr;
}

// Rows from `address` on that its buffer holds.
std::int64_t rows_behind(std::span<const Buffer> buffers, const void* address,
                         std::int64_t row_bytes, const char* name) {
  const Buffer* buffer = buffer_of(buffers, address);
  if (buffer == nullptr) refuse(std::string(name) + " lies in no given buffer");
  const auto before = static_cast<std::size_t>(static_cast<const unsigned char*>(address) -
                                               static_cast<const unsigned char*>(buffer->data));
  return static_cast<std::int64_t>(buffer->bytes - before) / row_bytes;
}

void fill_maps(device::WalkParameters& parameters, const device::KernelTraits& traits,
               std::span<const Buffer> buffers) {
  if (device::uses_token_map(traits, parameters.slices)) {
    const std::int64_t row_bytes = std::int64_t{parameters.head_dim} * 4;
    parameters.token_map =
        encode_tensor_map({.base = reinterpret_cast<const unsigned char*>(parameters.delta_v),
                           .columns = parameters.head_dim,
                           .rows = rows_behind(buffers, parameters.delta_v, row_bytes, "delta_v"),
                           .row_stride = row_bytes,
                           .box_columns = parameters.slice_width,
                           .box_rows = parameters.chunk_size,
                           .element_bytes = 4});
  }
  if (device::uses_row_map(traits, parameters)) {
    const std::int32_t element = device::bank_element_bytes(traits.bank);
    const std::int64_t row_bytes = std::int64_t{parameters.head_dim} * element;
    parameters.row_map =
        encode_tensor_map({.base = static_cast<const unsigned char*>(parameters.snapshot),
                           .columns = parameters.head_dim,
                           .rows = rows_behind(buffers, parameters.snapshot, row_bytes, "snapshot"),
                           .row_stride = row_bytes,
                           .box_columns = parameters.slice_width,
                           .box_rows = device::ring_unit_rows,
                           .element_bytes = element});
  }
}

void check_run(const plan::Plan& plan, std::int64_t begin, std::int64_t end,
               const Options& options) {
  if (plan.version != plan::plan_version) {
    refuse("a plan of version " + std::to_string(plan.version) + "; this is version " +
           std::to_string(plan::plan_version));
  }
  if (begin < 0 || end < begin) {
    refuse("steps [" + std::to_string(begin) + ", " + std::to_string(end) + ")");
  }
  for (const std::int64_t step : {begin, end - 1}) {
    if (begin == end) break;
    if (const auto refusal = plan::check_step(plan, step, options.dependent ? 1 : 0)) {
      throw std::invalid_argument(refusal->message);
    }
  }
}

// The columns that quantize ahead of the walk read bank rows before the wait (LCH-2): they start
// after the walk ahead has ended, so never early.
bool may_start_early(const device::KernelTraits& traits) {
  return traits.quantizing != device::Quantizing::cluster &&
         traits.quantizing != device::Quantizing::all_slices;
}

Launch launch_of(const plan::Plan& plan, const plan::DeviceClass& device,
                 const device::KernelTraits& traits, const Options& options) {
  Launch launch;
  launch.kernel = std::string(traits.name);
  if (device.name != usual_device) launch.device = device.name;
  launch.grid_blocks = plan.geometry.grid_blocks;
  launch.block_threads = plan.geometry.block_threads;
  launch.cluster_blocks = plan.geometry.cluster_blocks;
  launch.shared_bytes = plan.geometry.shared_bytes;
  launch.limits = {.shared_cap = device.shared_cap,
                   .max_cluster = device.max_cluster,
                   .async_image = device.async_image && traits.image == device::Image::async};
  launch.schedule = options.schedule;
  launch.dependent = options.dependent;
  launch.checked = options.checked;
  launch.record = options.record != nullptr;
  return launch;
}

}  // namespace

std::vector<Finding> run_steps_of(KernelEntry entry, const plan::Plan& plan,
                                  const plan::DeviceClass& device, std::span<const Buffer> buffers,
                                  std::int64_t begin, std::int64_t end, const Options& options) {
  check_run(plan, begin, end, options);
  if (plan.empty || begin == end) return {};
  const device::KernelTraits& traits = device::kernel_family[plan.kernel];
  RecordedChoices replayed;
  if (options.schedule.kind == ScheduleKind::replay) {
    replayed = parse_choices(options.schedule.choices);
  }
  Launch launch = launch_of(plan, device, traits, options);
  launch.entry = entry;
  launch.buffers = buffers;
  launch.replayed = &replayed;
  device::WalkParameters parameters = plan.parameters;
  parameters.dependent = options.dependent ? 1 : 0;
  fill_maps(parameters, traits, buffers);
  if (options.dependent) launch.unfinished = buffer_of(buffers, parameters.delta_v);

  RecordedChoices recorded;
  std::vector<Finding> findings;
  for (std::int64_t first = begin; first < end && findings.empty(); first += steps_a_sequence) {
    Sequence sequence;
    sequence.threads = options.threads;
    sequence.max_findings = options.max_findings;
    sequence.early = may_start_early(traits);
    std::deque<device::WalkParameters> all;  // launches point into it
    for (std::int64_t step = first; step < std::min(end, first + steps_a_sequence); ++step) {
      all.push_back(parameters);
      all.back().step = static_cast<std::int32_t>(step);
      launch.step = step;
      launch.parameters = &all.back();
      sequence.launches.push_back(launch);
    }
    SequenceResult result = run_sequence(sequence);
    findings = std::move(result.findings);
    recorded.merge(result.choices);
  }
  if (options.record != nullptr) {
    *options.record = {.kind = ScheduleKind::replay, .choices = format_choices(recorded)};
  }
  return findings;
}

std::vector<Finding> run_steps(const plan::Plan& plan, const plan::DeviceClass& device,
                               std::span<const Buffer> buffers, std::int64_t begin,
                               std::int64_t end, const Options& options) {
  if (plan.kernel >= device::kernel_count) {
    refuse("kernel " + std::to_string(plan.kernel) + " of a family of " +
           std::to_string(device::kernel_count));
  }
  const KernelEntry entry =
      options.checked ? checked_kernel(plan.kernel) : plain_kernel(plan.kernel);
  if (entry == nullptr) refuse("this program has no checked build of the kernels (g++ makes one)");
  return run_steps_of(entry, plan, device, buffers, begin, end, options);
}

#ifndef CHAINWALK_EMULATOR_HAS_CHECKED
KernelEntry checked_kernel(std::size_t) { return nullptr; }
#endif

}  // namespace chainwalk::emulator
