// SPDX-License-Identifier: Apache-2.0
// The extension module chainwalk._core; chainwalk/__init__.py is what users import.
#include "bindings.h"

NB_MODULE(_core, module) {
  module.doc() = "Bindings on bytes; use the package chainwalk.";
  chainwalk::python::bind_errors(module);
  chainwalk::python::bind_problem(module);
  chainwalk::python::bind_capture(module);
  chainwalk::python::bind_compare(module);
  chainwalk::python::bind_run(module);
  chainwalk::python::bind_trace(module);
  chainwalk::python::bind_rules(module);
  chainwalk::python::bind_arithmetic(module);
}
