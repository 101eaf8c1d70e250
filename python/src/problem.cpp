// SPDX-License-Identifier: Apache-2.0
// chainwalk::Problem over arrays that Python owns, its validation, and random problems.
#include "chainwalk/spec/problem.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "chainwalk/generate/generate.h"
#include "chainwalk/spec/tiles.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::python {
namespace {

// Keeps arrays alive for as long as any copy of a Problem views them. The last copy may die on a
// thread that does not hold the interpreter's lock.
struct KeptArrays {
  std::vector<InputBytes> arrays;

  KeptArrays() = default;
  KeptArrays(const KeptArrays&) = delete;
  KeptArrays& operator=(const KeptArrays&) = delete;
  ~KeptArrays() {
    const nb::gil_scoped_acquire lock;
    arrays.clear();
  }
};

template <typename T>
std::span<const T> view_as(const InputBytes& array, const char* name) {
  constexpr std::size_t alignment = 16;
  if (reinterpret_cast<std::uintptr_t>(array.data()) % alignment != 0 && array.size() != 0) {
    throw std::invalid_argument(std::string(name) + " is not aligned to 16 bytes");
  }
  if (array.size() % sizeof(T) != 0) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) +
                                " bytes, not a multiple of " + std::to_string(sizeof(T)));
  }
  return {reinterpret_cast<const T*>(array.data()), array.size() / sizeof(T)};
}

// tile_bounds and group_prefix are both given, or both missing: then TIL-2's are made.
Problem make_problem(const ProblemShape& shape, const InputBytes& bank, const InputBytes& delta_v,
                     const InputBytes& records, const std::optional<InputBytes>& tile_bounds,
                     const std::optional<InputBytes>& group_prefix) {
  auto kept = std::make_shared<KeptArrays>();
  Problem problem;
  problem.shape = shape;
  problem.bank_before = view_as<std::byte>(bank, "bank");
  problem.delta_v = view_as<float>(delta_v, "delta_v");
  problem.records = view_as<Record>(records, "records");
  kept->arrays = {bank, delta_v, records};
  if (tile_bounds && group_prefix) {
    problem.tile_bounds = view_as<std::int32_t>(*tile_bounds, "tile_bounds");
    problem.group_prefix = view_as<std::int32_t>(*group_prefix, "group_prefix");
    kept->arrays.push_back(*tile_bounds);
    kept->arrays.push_back(*group_prefix);
  }
  problem.storage = std::move(kept);
  if (tile_bounds) return problem;
  const auto faults = validate_shape(shape);
  if (!faults.empty()) throw InputError(faults.front());
  return with_standard_tiles(problem, shape.warps_per_block, shape.blocks_per_chunk);
}

ProblemShape make_shape(const std::string& bank_type, const std::string& snapshot,
                        const std::array<std::int64_t, 10>& sizes) {
  ProblemShape shape;
  const auto bank = parse_bank_type(bank_type);
  if (!bank) throw std::invalid_argument("bank_type is '" + bank_type + "'; use 'bf16' or 'f32'");
  const auto form = parse_snapshot_form(snapshot);
  if (!form) {
    throw std::invalid_argument("snapshot is '" + snapshot +
                                "'; use 'none', 'raw', 'bf16', 'fp8' or 'int4'");
  }
  shape.bank_type = *bank;
  shape.snapshot = *form;
  shape.slots = sizes[0];
  shape.head_dim = sizes[1];
  shape.num_chunks = sizes[2];
  shape.positions = sizes[3];
  shape.num_parallel = sizes[4];
  shape.chunk_size = sizes[5];
  shape.delta_v_rows = sizes[6];
  shape.delta_v_step_rows = sizes[7];
  shape.warps_per_block = sizes[8];
  shape.blocks_per_chunk = sizes[9];
  return shape;
}

// The bytes of one input as a read-only array that keeps the problem alive.
nb::object input_bytes(nb::handle self, const std::string& name) {
  const auto& problem = nb::cast<const Problem&>(self);
  std::span<const std::byte> bytes;
  if (name == "bank_before") {
    bytes = problem.bank_before;
  } else if (name == "delta_v") {
    bytes = std::as_bytes(problem.delta_v);
  } else if (name == "records") {
    bytes = std::as_bytes(problem.records);
  } else if (name == "tile_bounds") {
    bytes = std::as_bytes(problem.tile_bounds);
  } else if (name == "group_prefix") {
    bytes = std::as_bytes(problem.group_prefix);
  } else {
    throw std::invalid_argument("there is no input tensor '" + name + "'");
  }
  return nb::cast(
      nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(bytes.data(), {bytes.size()}, self));
}

void bind_shape(nb::class_<Problem>& binding) {
  const auto size = [&](const char* name, auto member) {
    binding.def_prop_ro(name, [member](const Problem& problem) { return problem.shape.*member; });
  };
  size("slots", &ProblemShape::slots);
  size("head_dim", &ProblemShape::head_dim);
  size("num_chunks", &ProblemShape::num_chunks);
  size("positions", &ProblemShape::positions);
  size("num_parallel", &ProblemShape::num_parallel);
  size("chunk_size", &ProblemShape::chunk_size);
  size("delta_v_rows", &ProblemShape::delta_v_rows);
  size("delta_v_step_rows", &ProblemShape::delta_v_step_rows);
  size("warps_per_block", &ProblemShape::warps_per_block);
  size("blocks_per_chunk", &ProblemShape::blocks_per_chunk);
  binding.def_prop_ro("bank_type", [](const Problem& p) { return to_string(p.shape.bank_type); })
      .def_prop_ro("snapshot", [](const Problem& p) { return to_string(p.shape.snapshot); })
      .def_prop_ro("steps",
                   [](const Problem& p) {
                     return p.shape.num_parallel > 0 ? p.shape.steps() : std::int64_t{0};
                   })
      .def_prop_ro("snapshot_row_bytes",
                   [](const Problem& p) { return p.shape.snapshot_row_bytes(); });
}

}  // namespace

void bind_problem(nb::module_& module) {
  nb::class_<Problem> binding(module, "Problem");
  bind_shape(binding);
  binding.def("input_bytes", [](nb::handle_t<Problem> self, const std::string& name) {
    return input_bytes(self, name);
  });
  module.def(
      "make_problem",
      [](const std::string& bank_type, const std::string& snapshot,
         const std::vector<std::int64_t>& sizes, const InputBytes& bank, const InputBytes& delta_v,
         const InputBytes& records, const std::optional<InputBytes>& tile_bounds,
         const std::optional<InputBytes>& group_prefix) {
        std::array<std::int64_t, 10> ten{};
        if (sizes.size() != ten.size()) throw std::invalid_argument("ten sizes are needed");
        std::copy(sizes.begin(), sizes.end(), ten.begin());
        return make_problem(make_shape(bank_type, snapshot, ten), bank, delta_v, records,
                            tile_bounds, group_prefix);
      },
      nb::arg("bank_type"), nb::arg("snapshot"), nb::arg("sizes"), nb::arg("bank"),
      nb::arg("delta_v"), nb::arg("records"), nb::arg("tile_bounds").none(),
      nb::arg("group_prefix").none());
  module.def(
      "validate",
      [](const Problem& problem, std::size_t max_faults) {
        const nb::gil_scoped_release unlocked;
        return validate(problem, {.max_faults = max_faults});
      },
      nb::arg("problem"), nb::arg("max_faults"));
  module.def(
      "with_standard_tiles",
      [](const Problem& problem, std::int64_t warps_per_block, std::int64_t blocks_per_chunk) {
        require_valid(problem);
        ProblemShape shape = problem.shape;
        shape.warps_per_block = warps_per_block;
        shape.blocks_per_chunk = blocks_per_chunk;
        const auto faults = validate_shape(shape);
        if (!faults.empty()) throw InputError(faults.front());
        return with_standard_tiles(problem, warps_per_block, blocks_per_chunk);
      },
      nb::arg("problem"), nb::arg("warps_per_block"), nb::arg("blocks_per_chunk"));
  module.def(
      "draw_parameters",
      [](std::uint64_t seed, std::uint64_t index, std::int64_t max_elements) {
        return generate::to_json(generate::draw_parameters(seed, index, max_elements));
      },
      nb::arg("seed"), nb::arg("index"), nb::arg("max_elements"));
  module.def(
      "generate_problem",
      [](const std::string& parameters, std::uint64_t seed, std::uint64_t index) {
        return generate::make_problem(generate::from_json(parameters), seed, index);
      },
      nb::arg("parameters"), nb::arg("seed"), nb::arg("index"));
}

}  // namespace chainwalk::python
