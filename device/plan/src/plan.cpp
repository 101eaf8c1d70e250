// SPDX-License-Identifier: Apache-2.0
// Plans: the checks in their order, the choice between them, and the values that come out (PLN-1 to
// PLN-10, LCH-1, LCH-2).
#include "chainwalk/plan/plan.h"

#include <algorithm>

#include "arithmetic.h"
#include "checks.h"
#include "choose.h"
#include "counters.h"
#include "family_plan.h"
#include "geometry.h"
#include "tensor.h"

namespace chainwalk::plan {
namespace {

// PLN-8. A term counts only where its divisor is not 0.
std::int64_t greatest_step_of(const Request& request) {
  std::int64_t greatest = int32_greatest;
  if (request.num_parallel != 0) {
    greatest = std::min(greatest, request.records.shape[0] / request.num_parallel - 1);
  }
  if (request.delta_v_step_rows != 0) {
    // PLN-2 found num_parallel * chunk_size rows, and PLN-7 that the elements fit.
    const std::int64_t rows = *element_count(request.delta_v) / request.bank.shape[1];
    const std::int64_t first_step_rows = request.num_parallel * request.chunk_size;
    greatest = std::min(greatest, (rows - first_step_rows) / request.delta_v_step_rows);
  }
  return std::max<std::int64_t>(greatest, -1);
}

// P * slices * K within int32, also where fewer blocks run (PLN-6).
Outcome check_grid(const Sizes& sizes, const Choice* choice, bool empty) {
  const auto blocks = product({sizes.num_parallel, sizes.head.slices, sizes.blocks});
  if (!blocks || *blocks > int32_greatest) {
    return refuse(Check::pln6_grid,
                  "num_parallel * slices * K is {} * {} * {}; it must be at most {}",
                  sizes.num_parallel, sizes.head.slices, sizes.blocks, int32_greatest);
  }
  if (!empty && !fits_launch(sizes)) {
    return refuse(Check::pln6_grid, "nw * K is {} * {} tiles a chunk; it must be at most {}",
                  sizes.warps, sizes.blocks, int32_greatest);
  }
  if (choice != nullptr && !empty && choice->launch.grid_blocks > int32_greatest) {
    return refuse(Check::pln6_grid, "the launch takes over {} blocks; it must take at most that",
                  int32_greatest);
  }
  return std::nullopt;
}

// PLN-4: what a kernel reads by tensor maps, whose coordinates have 32 bits.
Outcome check_tensor_map_rows(const Request& request, const Sizes& sizes,
                              const device::KernelTraits& kernel) {
  const auto slices = static_cast<std::int32_t>(sizes.head.slices);
  if (sizes.delta_v_rows > int32_greatest && device::uses_token_map(kernel, slices)) {
    return refuse(Check::pln4_tensor_map_rows,
                  "delta_v holds {} rows; kernel {} copies it by tensor maps, which reach {}",
                  sizes.delta_v_rows, kernel.name, int32_greatest);
  }
  device::WalkParameters parameters{};
  parameters.slices = slices;
  parameters.positions = sizes.positions;
  if (request.snapshot.shape[0] > int32_greatest && device::uses_row_map(kernel, parameters)) {
    return refuse(Check::pln4_tensor_map_rows,
                  "snapshot holds {} rows; kernel {} reads it by tensor maps, which reach {}",
                  request.snapshot.shape[0], kernel.name, int32_greatest);
  }
  return std::nullopt;
}

// PLN-4's last check, then PLN-5, PLN-6, PLN-7; `choice` is null where no member serves.
Outcome check_after_choice(const Request& request, const Sizes& sizes, const DeviceClass& device,
                           Family family, const Choice* choice, bool empty) {
  const auto* kernel = choice != nullptr ? &family[choice->kernel] : nullptr;
  if (kernel != nullptr) {
    if (auto refusal = check_tensor_map_rows(request, sizes, *kernel)) {
      return refusal;
    }
  }
  if (auto refusal = check_overlap(request)) {
    return refusal;
  }
  if (kernel != nullptr) {
    if (auto refusal = check_launch(*kernel, choice->launch, device, request.wish, empty)) {
      return refusal;
    }
  }
  if (auto refusal = check_grid(sizes, choice, empty)) {
    return refusal;
  }
  if (auto refusal = check_device_class(kernel, device, request.wish)) {
    return refusal;
  }
  return check_overflow(request);
}

device::WalkParameters parameters_of(const Request& request, const Sizes& sizes) {
  device::WalkParameters parameters = launch_sizes(sizes);
  parameters.bank = request.bank.data;
  parameters.delta_v = static_cast<const float*>(request.delta_v.data);
  parameters.records = static_cast<const Record*>(request.records.data);
  parameters.tile_bounds = static_cast<const std::int32_t*>(request.tile_bounds.data);
  parameters.group_prefix = static_cast<const std::int32_t*>(request.group_prefix.data);
  parameters.snapshot = request.snapshot.data;
  parameters.payload = static_cast<std::uint8_t*>(request.payload.data);
  parameters.scale = static_cast<float*>(request.scale.data);
  parameters.delta_v_step_rows = request.delta_v_step_rows;
  parameters.payload_row_bytes = is_quantized(request.form) ? request.payload.shape[1] : 0;
  parameters.snapshot_step = static_cast<std::int32_t>(request.snapshot_step);
  return parameters;
}

Plan plan_of(const Request& request, const Sizes& sizes, Choice choice, bool empty) {
  Plan plan;
  plan.version = plan_version;
  plan.kernel = choice.kernel;
  plan.geometry = choice.launch;
  plan.greatest_step = greatest_step_of(request);
  plan.empty = empty;
  plan.why = std::move(choice.why);
  // An empty plan may have sizes past the 32 bits of a launch, and launches nothing.
  if (!empty) {
    plan.parameters = parameters_of(request, sizes);
  }
  return plan;
}

}  // namespace

Sizes sizes_of(const Request& request, Kernel forced) {
  const BankType type = request.bank.type == ElementType::bf16 ? BankType::bf16 : BankType::f32;
  const std::int64_t head_dim = request.bank.shape[1];
  return {type,
          request.form,
          make_head(head_dim, type),
          request.bank.shape[0],
          request.records.shape[0],
          request.records.shape[1],
          request.num_parallel,
          request.chunk_size,
          request.warps_per_block,
          request.blocks_per_chunk,
          element_count(request.delta_v).value_or(int64_greatest) / head_dim,
          wants_dense_rows(request.wish, forced)};
}

Kernel forced_kernel(Family family, const GeometryWish& wish) {
  if (!wish.kernel) {
    return nullptr;
  }
  const auto found =
      std::ranges::find(family, std::string_view{*wish.kernel}, &device::KernelTraits::name);
  return found == family.end() ? nullptr : &*found;
}

bool wants_dense_rows(const GeometryWish& wish, Kernel forced) {
  return wish.source == device::BaseSource::dense_rows ||
         (forced != nullptr && forced->source == device::BaseSource::dense_rows);
}

std::variant<Plan, Refusal> make_plan_of(Family family, const Request& request,
                                         const DeviceClass& device) {
  const Kernel forced = forced_kernel(family, request.wish);
  for (const auto check : {check_classes, check_layouts, check_forms}) {
    if (auto refusal = check(request, forced)) {
      return *refusal;
    }
  }
  if (auto refusal = check_sizes(request)) {
    return *refusal;
  }
  const Sizes sizes = sizes_of(request, forced);
  // PLN-9: nothing is launched, and every check still runs.
  const bool empty = sizes.num_parallel == 0 || sizes.blocks == 0 || sizes.slots == 0;
  auto chosen = choose_kernel(family, sizes, request.wish, device, empty);
  const Choice* choice = std::get_if<Choice>(&chosen);
  if (auto refusal = check_after_choice(request, sizes, device, family, choice, empty)) {
    return *refusal;
  }
  if (choice == nullptr) {
    return std::get<Refusal>(chosen);
  }
  return plan_of(request, sizes, *choice, empty);
}

std::variant<Plan, Refusal> make_plan(const Request& request, const DeviceClass& device) {
  auto made = make_plan_of(device::kernel_family, request, device);
  if (const auto* plan = std::get_if<Plan>(&made)) {
    count_plan(plan->kernel);
  }
  return made;
}

std::optional<Refusal> check_version(const Plan& plan) {
  if (plan.version != plan_version || plan.kernel >= device::kernel_count) {
    return refuse(Check::pln10_version,
                  "the plan has version {} and kernel {}; this version makes plans of version {} "
                  "with kernels below {}",
                  plan.version, plan.kernel, plan_version, device::kernel_count);
  }
  return std::nullopt;
}

std::optional<Refusal> check_step(const Plan& plan, std::int64_t step, int dependent) {
  if (auto refusal = check_version(plan)) {
    return refusal;
  }
  if (step < 0 || step > plan.greatest_step) {
    return refuse(Check::lch1_step, "step is {}; it must be in 0..{}", step, plan.greatest_step);
  }
  if (dependent != 0 && dependent != 1) {
    return refuse(Check::lch1_flag, "dependent is {}; it must be 0 or 1", dependent);
  }
  const device::KernelTraits& kernel = device::kernel_family[plan.kernel];
  if (dependent == 1 && kernel.image != device::Image::async) {
    return refuse(
        Check::lch2_dependent,
        "dependent is 1 and kernel {} is of the portable image; dependent launch needs the "
        "async image",
        kernel.name);
  }
  return std::nullopt;
}

}  // namespace chainwalk::plan
