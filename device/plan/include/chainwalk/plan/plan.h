// SPDX-License-Identifier: Apache-2.0
// Plans: every check before any work (PLN), the choice of kernel and geometry (GEO), and launches
// as values (PLN-10). Host only; no GPU needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chainwalk/plan/check.h"
#include "chainwalk/plan/device_class.h"
#include "chainwalk/spec/problem.h"
#include "family.h"
#include "parameters.h"

namespace chainwalk::plan {

enum class ElementType : std::int32_t { bf16 = 0, f32 = 1, i32 = 2, u8 = 3 };

// A row-major tensor, as the caller describes it; strides in elements. rank 0: not given.
struct Tensor {
  void* data = nullptr;
  ElementType type = ElementType::u8;
  std::int32_t rank = 0;
  std::array<std::int64_t, 3> shape{};
  std::array<std::int64_t, 3> stride{};
  std::int32_t device = 0;
};

// What the caller leaves open is nullopt.
struct GeometryWish {
  std::optional<std::string> kernel;  // a name of family.def
  std::optional<int> slices_per_warp;
  std::optional<int> offset_bits;
  std::optional<int> portable;  // 0, 1
  std::optional<device::Quantizing> quantizing;
  std::optional<device::BaseSource> source;
  std::optional<std::int64_t> shared_cap;
  bool override_device_class = false;  // run the portable image on a device class that is not known
};

struct Request {
  SnapshotForm form = SnapshotForm::none;
  Tensor bank, delta_v, records, tile_bounds, group_prefix, snapshot, payload, scale;
  std::int64_t num_parallel = 0, chunk_size = 0, delta_v_step_rows = 0, snapshot_step = 0;
  std::int64_t warps_per_block = 0, blocks_per_chunk = 0;
  GeometryWish wish;
};

struct LaunchGeometry {
  std::int64_t grid_blocks = 0;  // x dimension; streams, slices (or clusters) and K folded in
  std::int32_t block_threads = 0;
  std::int32_t cluster_blocks = 1;
  std::int64_t shared_bytes = 0;
};

// A plan is a value: it names raw pointers and lives as long as its buffers (PLN-10).
struct Plan {
  std::uint32_t version = 0;  // plan_version, else refused
  std::size_t kernel = 0;     // index into device::kernel_family
  LaunchGeometry geometry;
  device::WalkParameters parameters{};  // step and tensor maps are filled per launch
  std::int64_t greatest_step = -1;      // PLN-8
  bool empty = false;                   // PLN-9: launches nothing
  std::string why;                      // the choice, in a sentence
};
inline constexpr std::uint32_t plan_version = 1;

// Checks in the order of PLN; the first failure is returned. Nothing is read behind a pointer.
std::variant<Plan, Refusal> make_plan(const Request& request, const DeviceClass& device);

// PLN-10: whether the plan was made by this version.
std::optional<Refusal> check_version(const Plan& plan);

// PLN-10, LCH-1, LCH-2: whether a step may be launched.
std::optional<Refusal> check_step(const Plan& plan, std::int64_t step, int dependent);

// A request over the views of a problem (host memory), for tests and emulators.
Request request_for(const Problem& problem, const Outputs& outputs);

}  // namespace chainwalk::plan
