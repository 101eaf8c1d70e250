// SPDX-License-Identifier: Apache-2.0
// Malformed input as chainwalk.ChainwalkInputError, system errors as OSError.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <system_error>

#include "bindings.h"
#include "chainwalk/spec/fault.h"

namespace chainwalk::python {
namespace {

// The class lives in Python, where it can be an ordinary ValueError with attributes.
void raise_input_error(const InputFault& fault) {
  const nb::object type = nb::module_::import_("chainwalk._errors").attr("ChainwalkInputError");
  const nb::object error = type(fault.message, fault.rule, fault.chunk, fault.position);
  PyErr_SetObject(type.ptr(), error.ptr());
}

void translate(const std::exception_ptr& pointer, void* /*payload*/) {
  try {
    std::rethrow_exception(pointer);
  } catch (const InputError& error) {
    raise_input_error(error.fault());
  } catch (const std::system_error& error) {
    // OSError(errno, text) becomes FileNotFoundError and its like by itself.
    const nb::object type = nb::borrow(PyExc_OSError);
    const nb::object raised = type(error.code().value(), error.what());
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(raised.ptr())), raised.ptr());
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  nb::class_<InputFault>(module, "Fault", "One fault of an input.")
      .def_ro("rule", &InputFault::rule, "Rule id, such as 'REC-5'.")
      .def_ro("chunk", &InputFault::chunk, "Chunk index, or None.")
      .def_ro("position", &InputFault::position, "Position or tile bound in the chunk, or None.")
      .def_ro("message", &InputFault::message, "A sentence that names place and values.")
      .def("__str__", [](const InputFault& fault) { return fault.message; })
      .def("__repr__", [](const InputFault& fault) {
        return "Fault(" + fault.rule + ": " + fault.message + ")";
      });
  nb::register_exception_translator(translate);
}

}  // namespace chainwalk::python
