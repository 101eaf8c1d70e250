// SPDX-License-Identifier: Apache-2.0
// Runs of the reference and of the oracle on arrays that Python owns.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings.h"
#include "chainwalk/oracle/oracle.h"
#include "chainwalk/reference/reference.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::python {
namespace {

reference::InstructionSet parse_instruction_set(const std::string& text) {
  const auto set = reference::parse_instruction_set(text);
  if (set) return *set;
  throw std::invalid_argument("instruction_set is '" + text + "'; use " +
                              reference::instruction_set_names);
}

// Bank, snapshot, payload and scale, None where the form lacks one.
Outputs mutable_outputs(const std::vector<std::optional<OutputBytes>>& tensors) {
  if (tensors.size() != 4) throw std::invalid_argument("outputs are four tensors");
  const auto view = [&](std::size_t index) {
    return tensors[index] ? bytes_of(*tensors[index]) : std::span<std::byte>{};
  };
  const auto scale = view(3);
  return {view(0), view(1), view(2), {reinterpret_cast<float*>(scale.data()), scale.size() / 4}};
}

// Runs steps [begin, end) in place on outputs that validate_outputs() has passed.
void run_steps(const Problem& problem, const Outputs& outputs, std::int64_t begin, std::int64_t end,
               bool on_oracle, const reference::Options& options) {
  require_valid(problem);
  if (begin < 0 || begin > end || end > problem.shape.steps()) {
    throw std::out_of_range("steps " + std::to_string(begin) + " to " + std::to_string(end) +
                            " do not lie in 0.." + std::to_string(problem.shape.steps()));
  }
  const auto faults = validate_outputs(problem, outputs);
  if (!faults.empty()) throw InputError(faults.front());
  for (std::int64_t step = begin; step < end; ++step) {
    if (on_oracle) {
      oracle::run_step(problem, step, outputs);
    } else {
      reference::run_step(problem, step, outputs, options);
    }
  }
}

}  // namespace

void bind_run(nb::module_& module) {
  module.def(
      "run_steps",
      [](const Problem& problem, const std::vector<std::optional<OutputBytes>>& tensors,
         std::int64_t begin, std::int64_t end, const std::string& implementation, unsigned threads,
         const std::string& instruction_set) {
        if (implementation != "reference" && implementation != "oracle") {
          throw std::invalid_argument("implementation is '" + implementation +
                                      "'; use 'reference' or 'oracle'");
        }
        const Outputs outputs = mutable_outputs(tensors);
        const reference::Options options{threads, parse_instruction_set(instruction_set)};
        const nb::gil_scoped_release unlocked;
        run_steps(problem, outputs, begin, end, implementation == "oracle", options);
      },
      nb::arg("problem"), nb::arg("tensors"), nb::arg("begin"), nb::arg("end"),
      nb::arg("implementation"), nb::arg("threads"), nb::arg("instruction_set"));
}

}  // namespace chainwalk::python
