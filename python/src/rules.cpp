// SPDX-License-Identifier: Apache-2.0
// The text of the specification, rule by rule.
#include "chainwalk/spec/rules.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <string>

#include "bindings.h"

namespace chainwalk::python {

void bind_rules(nb::module_& module) {
  nb::class_<Rule>(module, "Rule", "One rule of the specification.")
      .def_ro("id", &Rule::id)
      .def_ro("chapter", &Rule::chapter)
      .def_ro("title", &Rule::title)
      .def_ro("text", &Rule::text, "Markdown.")
      .def("__str__",
           [](const Rule& rule) {
             return std::string(rule.id) + " " + std::string(rule.title) + "\n\n" +
                    std::string(rule.text);
           })
      .def("__repr__", [](const Rule& rule) {
        return "Rule(" + std::string(rule.id) + ": " + std::string(rule.title) + ")";
      });
  module.def("rules", [] {
    nb::list all;
    for (const Rule& rule : rules()) all.append(nb::cast(rule));
    return all;
  });
  module.def("find_rule", [](const std::string& id) -> nb::object {
    const Rule* rule = find_rule(id);
    return rule == nullptr ? nb::none() : nb::cast(*rule);
  });
  module.def("specification_version", &specification_version);
}

}  // namespace chainwalk::python
