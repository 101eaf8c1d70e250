# SPDX-License-Identifier: Apache-2.0
"""Chainwalk: a bit-exact reference of the sparse-memory fma-chain walk.

    import chainwalk
    problem = chainwalk.Problem(bank, delta_v, records, num_parallel=2, chunk_size=64, snapshot="fp8")
    chainwalk.assert_conforms(problem, chainwalk.Outputs(bank=my_bank, payload=my_payload, scale=my_scale))

`run` gives the reference's outputs, `explain` the chain of one column, `rule("ARI-4")` a rule's text.
"""

from . import arithmetic
from ._core import Difference, Fault, Rule, Trace, TraceMember
from ._errors import ChainwalkInputError
from ._problem import Outputs, Problem, make_outputs, random_parameters, random_problem
from ._run import (
    Capture,
    assert_conforms,
    compare,
    explain,
    format_trace,
    read_capture,
    rule,
    rules,
    run,
    run_steps,
    specification_version,
    validate,
    write_capture,
)
from .arithmetic import div_bits, e4m3_bits, fma_bits, mul_bits, narrow_bits, nibble_bits, widen_bits

__all__ = [
    "Capture", "ChainwalkInputError", "Difference", "Fault", "Outputs", "Problem", "Rule", "Trace", "TraceMember",
    "arithmetic", "assert_conforms", "compare", "div_bits", "e4m3_bits", "explain", "fma_bits", "format_trace",
    "make_outputs", "mul_bits", "narrow_bits", "nibble_bits", "random_parameters", "random_problem", "read_capture",
    "rule", "rules", "run", "run_steps", "specification_version", "validate", "widen_bits", "write_capture",
]  # fmt: skip
