// SPDX-License-Identifier: Apache-2.0
// The chain of one column, step by step (ARI, SNP, QNT).
#include "chainwalk/reference/trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <bit>
#include <cstdint>
#include <optional>

#include "bindings.h"
#include "chainwalk/spec/validate.h"

namespace chainwalk::python {
namespace {

// Python's floats are doubles, which lose the payload of a signalling NaN: patterns stand beside.
template <auto member, typename T>
std::uint32_t pattern(const T& value) {
  return std::bit_cast<std::uint32_t>(value.*member);
}

template <auto member>
std::optional<std::uint32_t> optional_pattern(const reference::Trace& trace) {
  if (!(trace.*member)) return std::nullopt;
  return std::bit_cast<std::uint32_t>(*(trace.*member));
}

void bind_member(nb::module_& module) {
  using reference::TraceMember;
  nb::class_<TraceMember>(module, "TraceMember", "One fma of a chain (ARI-1).")
      .def_ro("position", &TraceMember::position)
      .def_ro("raw_token", &TraceMember::raw_token)
      .def_ro("token", &TraceMember::token)
      .def_ro("token_row", &TraceMember::token_row)
      .def_ro("scale", &TraceMember::scale)
      .def_ro("token_value", &TraceMember::token_value)
      .def_ro("acc_before", &TraceMember::acc_before)
      .def_ro("acc_after", &TraceMember::acc_after)
      .def_prop_ro("scale_bits", &pattern<&TraceMember::scale, TraceMember>)
      .def_prop_ro("token_value_bits", &pattern<&TraceMember::token_value, TraceMember>)
      .def_prop_ro("acc_before_bits", &pattern<&TraceMember::acc_before, TraceMember>)
      .def_prop_ro("acc_after_bits", &pattern<&TraceMember::acc_after, TraceMember>);
}

}  // namespace

void bind_trace(nb::module_& module) {
  using reference::Trace;
  bind_member(module);
  nb::class_<Trace>(module, "Trace", "The chain of one column of one group.")
      .def_ro("chunk", &Trace::chunk)
      .def_ro("step", &Trace::step)
      .def_ro("stream", &Trace::stream)
      .def_ro("group", &Trace::group)
      .def_ro("column", &Trace::column)
      .def_ro("tile", &Trace::tile)
      .def_ro("valid", &Trace::valid)
      .def_ro("members", &Trace::members)
      .def_ro("slot", &Trace::slot)
      .def_ro("base", &Trace::base)
      .def_ro("decay", &Trace::decay)
      .def_ro("out", &Trace::out)
      .def_prop_ro("base_bits", &pattern<&Trace::base, Trace>)
      .def_prop_ro("decay_bits", &pattern<&Trace::decay, Trace>)
      .def_prop_ro("out_bits", &pattern<&Trace::out, Trace>)
      .def_ro("stored_bits", &Trace::stored_bits)
      .def_ro("snapshot_row", &Trace::snapshot_row)
      .def_ro("snapshot_bits", &Trace::snapshot_bits)
      .def_ro("amax", &Trace::amax)
      .def_ro("quantizer_scale", &Trace::quantizer_scale)
      .def_ro("quotient", &Trace::quotient)
      .def_prop_ro("amax_bits", &optional_pattern<&Trace::amax>)
      .def_prop_ro("quantizer_scale_bits", &optional_pattern<&Trace::quantizer_scale>)
      .def_prop_ro("quotient_bits", &optional_pattern<&Trace::quotient>);
  module.def(
      "trace_column",
      [](const Problem& problem, std::int64_t chunk, std::int64_t group, std::int64_t column) {
        const nb::gil_scoped_release unlocked;
        require_valid(problem);
        return reference::trace_column(problem, chunk, group, column);
      },
      nb::arg("problem"), nb::arg("chunk"), nb::arg("group"), nb::arg("column"));
}

}  // namespace chainwalk::python
