// SPDX-License-Identifier: Apache-2.0
// Comparison of outputs bit for bit (SNP-4, NUM).
#include "chainwalk/conformance/compare.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::python {
namespace {

std::string describe(const conformance::Difference& difference) {
  return difference.tensor + "[" + std::to_string(difference.row) + ", " +
         std::to_string(difference.column) + "]: expected " + difference.expected + ", found " +
         difference.actual + " (" + std::to_string(difference.count) +
         (difference.count == 1 ? " element differs)" : " elements differ)");
}

}  // namespace

void bind_compare(nb::module_& module) {
  using conformance::Difference;
  nb::class_<Difference>(module, "Difference",
                         "The first element of a tensor that differs, and how many do.")
      .def_ro("tensor", &Difference::tensor)
      .def_ro("row", &Difference::row)
      .def_ro("column", &Difference::column)
      .def_ro("expected", &Difference::expected, "Hex.")
      .def_ro("actual", &Difference::actual, "Hex.")
      .def_ro("count", &Difference::count, "Differing elements of this tensor.")
      .def("__str__", &describe)
      .def("__repr__",
           [](const Difference& difference) { return "Difference(" + describe(difference) + ")"; });
  module.def(
      "compare",
      [](const Problem& problem, const std::vector<std::optional<InputBytes>>& expected,
         const std::vector<std::optional<InputBytes>>& actual, std::optional<std::uint8_t> poison) {
        const ConstOutputs left = const_outputs(expected);
        const ConstOutputs right = const_outputs(actual);
        const nb::gil_scoped_release unlocked;
        require_valid(problem);
        conformance::CompareOptions options;
        if (poison) options.poison = std::byte{*poison};
        return conformance::compare(problem, left, right, options).differences;
      },
      nb::arg("problem"), nb::arg("expected"), nb::arg("actual"), nb::arg("poison").none());
  module.def(
      "concerned_rules",
      [](const Problem& problem, const Difference& difference) {
        require_valid(problem);
        return conformance::concerned_rules(problem, difference);
      },
      nb::arg("problem"), nb::arg("difference"));
}

}  // namespace chainwalk::python
