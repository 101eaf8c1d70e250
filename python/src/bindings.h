// SPDX-License-Identifier: Apache-2.0
// What the files of the Python module share: array types and one function a file that binds it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "chainwalk/spec/problem.h"

namespace chainwalk::python {

namespace nb = nanobind;

// Every tensor crosses the border as its bytes; the Python side knows dtypes and shapes.
using InputBytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutputBytes = nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

inline std::span<const std::byte> bytes_of(const InputBytes& array) {
  return {reinterpret_cast<const std::byte*>(array.data()), array.size()};
}
inline std::span<std::byte> bytes_of(const OutputBytes& array) {
  return {reinterpret_cast<std::byte*>(array.data()), array.size()};
}

// Bank, snapshot, payload and scale, None where the form lacks one.
inline ConstOutputs const_outputs(const std::vector<std::optional<InputBytes>>& tensors) {
  if (tensors.size() != 4) throw std::invalid_argument("outputs are four tensors");
  const auto view = [&](std::size_t index) {
    return tensors[index] ? bytes_of(*tensors[index]) : std::span<const std::byte>{};
  };
  const auto scale = view(3);
  return {
      view(0), view(1), view(2), {reinterpret_cast<const float*>(scale.data()), scale.size() / 4}};
}

void bind_errors(nb::module_& module);
void bind_problem(nb::module_& module);
void bind_capture(nb::module_& module);
void bind_compare(nb::module_& module);
void bind_run(nb::module_& module);
void bind_trace(nb::module_& module);
void bind_rules(nb::module_& module);
void bind_arithmetic(nb::module_& module);

}  // namespace chainwalk::python
