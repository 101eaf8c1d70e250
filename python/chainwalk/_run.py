# SPDX-License-Identifier: Apache-2.0
"""Runs, comparisons, capture files and explanations of problems."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

import numpy as np

from . import _core
from ._arrays import aligned, as_bytes, require
from ._errors import ChainwalkInputError
from ._problem import Outputs, Problem, make_outputs, output_layout


def validate(problem: Problem, max_faults: int = 16) -> list[_core.Fault]:
    """What is wrong with a problem, first fault first; empty: it is well-formed."""
    return _core.validate(problem._core, max_faults)


def run_steps(
    problem: Problem,
    outputs: Outputs,
    begin: int,
    end: int,
    *,
    implementation: str = "reference",
    threads: int = 0,
    instruction_set: str = "best",
) -> None:
    """Runs steps begin..end - 1 in place on `outputs`, NumPy arrays as make_outputs() gives them."""
    tensors = []
    for name in ("bank", "snapshot", "payload", "scale"):
        tensor = getattr(outputs, name)
        if tensor is not None and not (isinstance(tensor, np.ndarray) and tensor.flags.c_contiguous):
            raise TypeError(f"{name} has to be a contiguous NumPy array to be written in place")
        if tensor is not None and not tensor.flags.writeable:
            raise ValueError(f"{name} is read-only")
        tensors.append(as_bytes(tensor))
    _core.run_steps(problem._core, tensors, begin, end, implementation, threads, instruction_set)


def run(
    problem: Problem,
    implementation: str = "reference",
    threads: int = 0,
    *,
    instruction_set: str = "best",
    poison: int = 0xA5,
) -> Outputs:
    """Runs every step and gives the outputs.

    implementation   "reference" (fast) or "oracle" (integers only, slow, one thread)
    threads          0: all; the bits are the same for any number
    instruction_set  of the reference: "best", "portable", "avx2", "avx512" or "avx512_bf16"; the
                     bits are the same
    poison           byte that snapshot rows hold where no valid group writes them (SNP-4)

    Raises ChainwalkInputError where the problem is malformed.
    """
    faults = validate(problem, 1)
    if faults:
        first = faults[0]
        raise ChainwalkInputError(first.message, first.rule, first.chunk, first.position)
    outputs = make_outputs(problem, poison)
    run_steps(
        problem, outputs, 0, problem.steps,
        implementation=implementation, threads=threads, instruction_set=instruction_set,
    )  # fmt: skip
    return outputs


def _tensors(problem: Problem, outputs: Outputs) -> list[np.ndarray | None]:
    """Bytes of the outputs that the problem's form has, of any kind of array; None for the others."""
    layout = output_layout(problem)
    tensors: list[np.ndarray | None] = []
    for name in ("bank", "snapshot", "payload", "scale"):
        if name not in layout:
            tensors.append(None)
            continue
        _, shape, names = layout[name]
        tensor = getattr(outputs, name)
        if tensor is None:
            raise ChainwalkInputError(f"PLN-2: {name} is missing; the problem's form has it", "PLN-2")
        array = require(tensor, name, names, len(shape))
        if array.shape != shape:
            raise ChainwalkInputError(f"PLN-2: {name} has shape {list(array.shape)}; needed is {list(shape)}", "PLN-2")
        tensors.append(as_bytes(aligned(array)))
    return tensors


def compare(
    problem: Problem, expected: Outputs, actual: Outputs, *, poison: int | None = None
) -> list[_core.Difference]:
    """Compares outputs bit for bit, NaN and signed zeros too; one Difference a tensor that differs.

    Of snapshot, payload and scale only the rows that valid groups write are looked at; with `poison`,
    the byte that they were filled with before the run, the others too have to hold it still (SNP-4).
    Tensors may be of any kind that Problem takes.
    """
    return _core.compare(problem._core, _tensors(problem, expected), _tensors(problem, actual), poison)


def assert_conforms(problem: Problem, actual: Outputs, implementation: str = "reference", threads: int = 0) -> None:
    """Raises AssertionError, with the first difference of every tensor, unless `actual` has the bits
    that the implementation gives."""
    differences = compare(problem, run(problem, implementation, threads), actual)
    if differences:
        lines = "\n  ".join(
            f"{difference}; decided by {', '.join(_core.concerned_rules(problem._core, difference))}"
            for difference in differences
        )
        raise AssertionError(f"not the bits of the {implementation}, {problem!r}:\n  {lines}")


@dataclass
class Capture:
    """A capture file: a problem, and the outputs that some device left (None: inputs only)."""

    problem: Problem
    expected: Outputs | None = None
    device: str = ""
    source: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


def read_capture(path: str | os.PathLike) -> Capture:
    """Maps a capture file. Raises OSError where it cannot be read, ChainwalkInputError where it is
    malformed as a file; run() and validate() check the problem in it."""
    core = _core.read_capture(os.fspath(path))
    problem = Problem._of(core.problem)
    expected = None
    if core.has_expected:
        tensors = {}
        for name, (dtype, shape, _) in output_layout(problem).items():
            tensors[name] = core.expected_bytes(name).view(dtype).reshape(shape)
        expected = Outputs(**tensors)
    return Capture(problem, expected, core.device, core.source, dict(core.metadata))


def write_capture(
    path: str | os.PathLike,
    problem: Problem,
    expected: Outputs | None = None,
    *,
    device: str = "",
    source: str = "",
    metadata: dict[str, str] | None = None,
) -> None:
    """Writes a capture file, whole or not at all. `expected` may hold tensors of any kind."""
    tensors = None if expected is None else _tensors(problem, expected)
    _core.write_capture(os.fspath(path), problem._core, tensors, device, source, dict(metadata or {}))


def explain(problem: Problem, chunk: int, group: int, column: int) -> _core.Trace:
    """The chain of one column of one group, step by step (ARI, SNP, QNT).

    `group` counts all groups of the chunk, INVALID ones too. Raises IndexError that names the
    argument out of range. format_trace() makes text of the result.
    """
    return _core.trace_column(problem._core, chunk, group, column)


def format_trace(trace: _core.Trace) -> str:
    """A trace as text: decimal and hex, the rule beside each line."""

    def number(value, bits):
        return f"{value:.9g} (0x{bits:08X})"

    lines = [
        f"chunk {trace.chunk} (step {trace.step}, stream {trace.stream}), group {trace.group}, "
        f"column {trace.column}, tile {trace.tile}"
    ]
    for member in trace.members:
        lines.append(
            f"position {member.position}: token {member.token}, row {member.token_row}: "
            f"fma({number(member.scale, member.scale_bits)}, {number(member.token_value, member.token_value_bits)}, "
            f"{number(member.acc_before, member.acc_before_bits)}) = "
            f"{number(member.acc_after, member.acc_after_bits)}  ARI-1"
        )
    if not trace.valid:
        lines.append("INVALID: nothing is stored  ARI-4")
        return "\n".join(lines)
    lines.append(
        f"slot {trace.slot}: fma({number(trace.base, trace.base_bits)}, {number(trace.decay, trace.decay_bits)}, acc) "
        f"= {number(trace.out, trace.out_bits)}  ARI-2"
    )
    lines.append(f"stored 0x{trace.stored_bits:X}  ARI-3")
    if trace.amax is not None:
        lines.append(f"amax {number(trace.amax, trace.amax_bits)}  QNT-2")
        lines.append(f"scale {number(trace.quantizer_scale, trace.quantizer_scale_bits)}  QNT-3")
        lines.append(f"quotient {number(trace.quotient, trace.quotient_bits)}  QNT-4")
    if trace.snapshot_row is not None:
        bits = "" if trace.snapshot_bits is None else f": 0x{trace.snapshot_bits:X}"
        lines.append(f"snapshot row {trace.snapshot_row}{bits}  SNP-1")
    return "\n".join(lines)


def rules() -> list[_core.Rule]:
    """Every rule of the specification, in its order."""
    return _core.rules()


def rule(rule_id: str) -> _core.Rule:
    """One rule by its id, in any case. Raises KeyError for an id that does not exist."""
    found = _core.find_rule(rule_id)
    if found is None:
        raise KeyError(f"there is no rule {rule_id!r}")
    return found


def specification_version() -> str:
    """Version of the specification, such as "1.0"."""
    return _core.specification_version()
