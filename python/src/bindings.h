// SPDX-License-Identifier: Apache-2.0
// What the files of the Python module share: array types and one function a file that binds it.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <span>

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

void bind_errors(nb::module_& module);
void bind_problem(nb::module_& module);
void bind_capture(nb::module_& module);
void bind_run(nb::module_& module);
void bind_trace(nb::module_& module);
void bind_rules(nb::module_& module);
void bind_arithmetic(nb::module_& module);

}  // namespace chainwalk::python
