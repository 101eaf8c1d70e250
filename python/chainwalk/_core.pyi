# SPDX-License-Identifier: Apache-2.0
"""Types of the extension module: bytes in, bytes out. Use the package chainwalk."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_Bytes = NDArray[np.uint8]

class Fault:
    @property
    def rule(self) -> str: ...
    @property
    def chunk(self) -> int | None: ...
    @property
    def position(self) -> int | None: ...
    @property
    def message(self) -> str: ...

class Rule:
    @property
    def id(self) -> str: ...
    @property
    def chapter(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...

class Problem:
    bank_type: str
    snapshot: str
    slots: int
    head_dim: int
    num_chunks: int
    positions: int
    num_parallel: int
    chunk_size: int
    delta_v_rows: int
    delta_v_step_rows: int
    warps_per_block: int
    blocks_per_chunk: int
    steps: int
    snapshot_row_bytes: int
    def input_bytes(self, name: str) -> _Bytes: ...

class Capture:
    problem: Problem
    has_expected: bool
    device: str
    source: str
    metadata: dict[str, str]
    def expected_bytes(self, name: str) -> _Bytes: ...

class Difference:
    tensor: str
    row: int
    column: int
    expected: str
    actual: str
    count: int

class TraceMember:
    position: int
    raw_token: int
    token: int
    token_row: int
    scale: float
    token_value: float
    acc_before: float
    acc_after: float
    scale_bits: int
    token_value_bits: int
    acc_before_bits: int
    acc_after_bits: int

class Trace:
    chunk: int
    step: int
    stream: int
    group: int
    column: int
    tile: int
    valid: bool
    members: list[TraceMember]
    slot: int
    base: float
    decay: float
    out: float
    base_bits: int
    decay_bits: int
    out_bits: int
    stored_bits: int
    snapshot_row: int | None
    snapshot_bits: int | None
    amax: float | None
    quantizer_scale: float | None
    quotient: float | None
    amax_bits: int | None
    quantizer_scale_bits: int | None
    quotient_bits: int | None

def make_problem(
    bank_type: str,
    snapshot: str,
    sizes: Sequence[int],
    bank: _Bytes,
    delta_v: _Bytes,
    records: _Bytes,
    tile_bounds: _Bytes | None,
    group_prefix: _Bytes | None,
) -> Problem: ...
def validate(problem: Problem, max_faults: int) -> list[Fault]: ...
def with_standard_tiles(problem: Problem, warps_per_block: int, blocks_per_chunk: int) -> Problem: ...
def draw_parameters(seed: int, index: int, max_elements: int) -> str: ...
def generate_problem(parameters: str, seed: int, index: int) -> Problem: ...
def read_capture(path: str) -> Capture: ...
def write_capture(
    path: str,
    problem: Problem,
    expected: Sequence[_Bytes | None] | None,
    device: str,
    source: str,
    metadata: dict[str, str],
) -> None: ...
def compare(
    problem: Problem,
    expected: Sequence[_Bytes | None],
    actual: Sequence[_Bytes | None],
    poison: int | None,
) -> list[Difference]: ...
def concerned_rules(problem: Problem, difference: Difference) -> list[str]: ...
def run_steps(
    problem: Problem,
    tensors: Sequence[_Bytes | None],
    begin: int,
    end: int,
    implementation: str,
    threads: int,
    instruction_set: str,
) -> None: ...
def trace_column(problem: Problem, chunk: int, group: int, column: int) -> Trace: ...
def rules() -> list[Rule]: ...
def find_rule(id: str) -> Rule | None: ...
def specification_version() -> str: ...
def fma_bits(a: NDArray[np.uint32], b: NDArray[np.uint32], c: NDArray[np.uint32], out: NDArray[np.uint32]) -> None: ...
def mul_bits(a: NDArray[np.uint32], b: NDArray[np.uint32], out: NDArray[np.uint32]) -> None: ...
def div_bits(a: NDArray[np.uint32], b: NDArray[np.uint32], out: NDArray[np.uint32]) -> None: ...
def narrow_bits(a: NDArray[np.uint32], out: NDArray[np.uint16]) -> None: ...
def widen_bits(a: NDArray[np.uint16], out: NDArray[np.uint32]) -> None: ...
def e4m3_bits(a: NDArray[np.uint32], out: NDArray[np.uint8]) -> None: ...
def nibble_bits(a: NDArray[np.uint32], out: NDArray[np.uint8]) -> None: ...
