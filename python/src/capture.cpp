// SPDX-License-Identifier: Apache-2.0
// Capture files (CAP).
#include "chainwalk/spec/capture.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::python {
namespace {

// The bytes of one recorded output as a read-only array that keeps the capture alive.
nb::object expected_bytes(nb::handle self, const std::string& name) {
  const ConstOutputs& expected = nb::cast<const Capture&>(self).expected;
  std::span<const std::byte> bytes;
  if (name == "bank") {
    bytes = expected.bank;
  } else if (name == "snapshot") {
    bytes = expected.snapshot;
  } else if (name == "payload") {
    bytes = expected.payload;
  } else if (name == "scale") {
    bytes = std::as_bytes(expected.scale);
  } else {
    throw std::invalid_argument("there is no output tensor '" + name + "'");
  }
  return nb::cast(
      nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>>(bytes.data(), {bytes.size()}, self));
}

using Tensors = std::vector<std::optional<InputBytes>>;

// `expected` is empty for a file of inputs alone.
void write(const std::string& path, const Problem& problem, const std::optional<Tensors>& expected,
           const std::string& device, const std::string& source,
           const std::map<std::string, std::string>& metadata) {
  require_valid(problem);
  Capture capture;
  capture.problem = problem;
  capture.device = device;
  capture.source = source;
  capture.metadata = metadata;
  capture.has_expected = expected.has_value();
  if (expected) capture.expected = const_outputs(*expected);
  const nb::gil_scoped_release unlocked;
  write_capture(path, capture);
}

}  // namespace

void bind_capture(nb::module_& module) {
  nb::class_<Capture>(module, "Capture")
      .def_ro("problem", &Capture::problem)
      .def_ro("has_expected", &Capture::has_expected)
      .def_ro("device", &Capture::device)
      .def_ro("source", &Capture::source)
      .def_ro("metadata", &Capture::metadata)
      .def("expected_bytes", [](nb::handle_t<Capture> self, const std::string& name) {
        return expected_bytes(self, name);
      });
  module.def(
      "read_capture",
      [](const std::string& path) {
        const nb::gil_scoped_release unlocked;
        return read_capture(path);
      },
      nb::arg("path"));
  module.def("write_capture", &write, nb::arg("path"), nb::arg("problem"),
             nb::arg("expected").none(), nb::arg("device"), nb::arg("source"), nb::arg("metadata"));
}

}  // namespace chainwalk::python
