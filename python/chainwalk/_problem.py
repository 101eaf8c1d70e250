# SPDX-License-Identifier: Apache-2.0
"""Problems and their outputs over NumPy arrays (REC-1, ARI-7, SNP-1, QNT-1, TIL-1, TIL-4)."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _core
from ._arrays import BF16_NAMES, BYTE_NAMES, F32_NAMES, INT32_NAMES, aligned, aligned_copy, aligned_empty, as_bytes, require
from ._errors import ChainwalkInputError

ELEMENT = {"bf16": np.dtype(np.uint16), "f32": np.dtype(np.float32)}


def _bank_type(array, bank_type):
    """The bank's type: as given, else by its elements."""
    converted = require(array, "bank", BF16_NAMES | F32_NAMES, 2)
    found = "bf16" if converted.dtype.name in BF16_NAMES else "f32"
    if bank_type is not None and bank_type != found:
        raise ChainwalkInputError(
            f"PLN-1: bank_type is {bank_type!r}, but bank has elements of type {converted.dtype.name}", "PLN-1"
        )
    return found, converted


class Problem:
    """Sizes and input tensors of a run of the walk.

    bank          [slots, hd]: float32, or bf16 as uint16, ml_dtypes.bfloat16 or torch.bfloat16
    delta_v       [rows, hd] float32: token rows
    records       [N, n, 4] int32 or uint32 (REC-1)
    num_parallel  P, streams; chunk_size: C, tokens of a chunk
    tile_bounds, group_prefix  [N, TU + 1] int32 (TIL-1, TIL-4); without them the standard set of
                  `blocks_per_chunk` blocks of `warps_per_block` warps is made (TIL-2)
    delta_v_step_rows  ARI-7; P * C where it is not given
    snapshot      "none", "raw", "bf16", "fp8" or "int4"
    bank_type     "bf16" or "f32", only to insist on one
    copy          True: the tensors are copied, so that a kernel may rewrite its bank in place.
                  False: arrays that are aligned to 16 bytes are viewed; do not change them.

    Tensors may be NumPy arrays, PyTorch tensors of any device, or anything with DLPack. Element types
    and dimensions are checked here (ChainwalkInputError), everything else by validate() and run().
    """

    def __init__(
        self,
        bank: Any,
        delta_v: Any,
        records: Any,
        *,
        num_parallel: int,
        chunk_size: int,
        tile_bounds: Any = None,
        group_prefix: Any = None,
        warps_per_block: int = 8,
        blocks_per_chunk: int | None = None,
        delta_v_step_rows: int | None = None,
        snapshot: str = "none",
        bank_type: str | None = None,
        copy: bool = True,
    ):
        found_type, bank = _bank_type(bank, bank_type)
        delta_v = require(delta_v, "delta_v", F32_NAMES, 2)
        records = require(records, "records", INT32_NAMES, 3)
        if delta_v.shape[1] != bank.shape[1]:
            raise ChainwalkInputError(
                f"PLN-2: delta_v has {delta_v.shape[1]} columns; bank has {bank.shape[1]}", "PLN-2"
            )
        if records.shape[2] != 4:
            raise ChainwalkInputError(f"REC-1: records has shape {list(records.shape)}; needed is [N, n, 4]", "REC-1")
        if (tile_bounds is None) != (group_prefix is None):
            raise ChainwalkInputError("TIL-4: give tile_bounds and group_prefix together, or neither", "TIL-4")
        chunks, positions = records.shape[:2]
        if tile_bounds is not None:
            tile_bounds = require(tile_bounds, "tile_bounds", INT32_NAMES, 2)
            group_prefix = require(group_prefix, "group_prefix", INT32_NAMES, 2)
            blocks_per_chunk = self._blocks_of(tile_bounds, group_prefix, chunks, warps_per_block, blocks_per_chunk)
        elif blocks_per_chunk is None:
            # 64 positions a tile, half of what one may hold.
            blocks_per_chunk = max(1, -(-positions // (64 * max(1, warps_per_block))))
        if delta_v_step_rows is None:
            delta_v_step_rows = num_parallel * chunk_size
        sizes = [
            bank.shape[0], bank.shape[1], chunks, positions, num_parallel, chunk_size, delta_v.shape[0],
            delta_v_step_rows, warps_per_block, blocks_per_chunk,
        ]  # fmt: skip
        tensors = [bank, delta_v, records, tile_bounds, group_prefix]
        self._core = _core.make_problem(
            found_type, snapshot, [int(size) for size in sizes], *(self._bytes(t, copy) for t in tensors)
        )

    @staticmethod
    def _blocks_of(tile_bounds, group_prefix, chunks, warps_per_block, blocks_per_chunk):
        """K of given tiles, whose shapes are [N, K * nw + 1]."""
        for name, array in (("tile_bounds", tile_bounds), ("group_prefix", group_prefix)):
            tiles = array.shape[1] - 1
            if array.shape[0] != chunks or tiles < 0 or tiles % max(1, warps_per_block) != 0:
                raise ChainwalkInputError(
                    f"TIL-1: {name} has shape {list(array.shape)}; needed is [{chunks}, K * {warps_per_block} + 1]",
                    "TIL-1",
                )
        if tile_bounds.shape != group_prefix.shape:
            raise ChainwalkInputError(
                f"TIL-4: group_prefix has shape {list(group_prefix.shape)}; tile_bounds has {list(tile_bounds.shape)}",
                "TIL-4",
            )
        found = (tile_bounds.shape[1] - 1) // max(1, warps_per_block)
        if blocks_per_chunk is not None and blocks_per_chunk != found:
            raise ChainwalkInputError(
                f"TIL-1: blocks_per_chunk is {blocks_per_chunk}; tile_bounds of shape {list(tile_bounds.shape)} "
                f"has {found} blocks of {warps_per_block} warps",
                "TIL-1",
            )
        return found

    @staticmethod
    def _bytes(array, copy):
        if array is None:
            return None
        return as_bytes(aligned_copy(array) if copy else aligned(array))

    @classmethod
    def _of(cls, core) -> Problem:
        problem = cls.__new__(cls)
        problem._core = core
        return problem

    def _input(self, name, dtype, *shape):
        return self._core.input_bytes(name).view(dtype).reshape(shape)

    @property
    def bank_before(self) -> np.ndarray:
        """[slots, hd]: float32, or uint16 that holds bf16. Read-only, as every input here."""
        return self._input("bank_before", ELEMENT[self.bank_type], self.slots, self.head_dim)

    @property
    def delta_v(self) -> np.ndarray:
        """[rows, hd] float32."""
        return self._input("delta_v", np.float32, self.delta_v_rows, self.head_dim)

    @property
    def records(self) -> np.ndarray:
        """[N, n, 4] uint32: x, slot, scale, decay."""
        return self._input("records", np.uint32, self.num_chunks, self.positions, 4)

    @property
    def tile_bounds(self) -> np.ndarray:
        """[N, TU + 1] int32."""
        return self._input("tile_bounds", np.int32, self.num_chunks, self.tiles_per_chunk + 1)

    @property
    def group_prefix(self) -> np.ndarray:
        """[N, TU + 1] int32."""
        return self._input("group_prefix", np.int32, self.num_chunks, self.tiles_per_chunk + 1)

    bank_type = property(lambda self: self._core.bank_type, doc='"bf16" or "f32".')
    snapshot = property(lambda self: self._core.snapshot, doc="Form of the snapshot rows.")
    slots = property(lambda self: self._core.slots, doc="Rows of the bank.")
    head_dim = property(lambda self: self._core.head_dim, doc="hd, columns.")
    num_chunks = property(lambda self: self._core.num_chunks, doc="N.")
    positions = property(lambda self: self._core.positions, doc="n, write positions of a chunk.")
    num_parallel = property(lambda self: self._core.num_parallel, doc="P, streams.")
    chunk_size = property(lambda self: self._core.chunk_size, doc="C, tokens of a chunk.")
    delta_v_rows = property(lambda self: self._core.delta_v_rows, doc="Token rows given.")
    delta_v_step_rows = property(lambda self: self._core.delta_v_step_rows, doc="ARI-7.")
    warps_per_block = property(lambda self: self._core.warps_per_block, doc="nw.")
    blocks_per_chunk = property(lambda self: self._core.blocks_per_chunk, doc="K.")
    tiles_per_chunk = property(lambda self: self.warps_per_block * self.blocks_per_chunk, doc="TU.")
    steps = property(lambda self: self._core.steps, doc="N / P, rounded down.")

    def with_standard_tiles(self, warps_per_block: int, blocks_per_chunk: int) -> Problem:
        """The same problem under another tile set; every output keeps its bits (TIL-2, TIL-5)."""
        return Problem._of(_core.with_standard_tiles(self._core, warps_per_block, blocks_per_chunk))

    def snapshot_rows_written(self) -> np.ndarray:
        """[N * n] bool: rows that valid groups of chunks that run write (SNP-1, SNP-4)."""
        flags = self.records[..., 0]
        stored = ((flags & 0x40000000) != 0) & ((flags & 0x00020000) == 0)
        counts = stored.sum(axis=1)
        counts[self.steps * self.num_parallel :] = 0
        return (np.arange(self.positions) < counts[:, None]).reshape(-1)

    def __repr__(self) -> str:
        return (
            f"Problem({self.bank_type} [{self.slots}, {self.head_dim}], snapshot={self.snapshot!r}, "
            f"N={self.num_chunks}, n={self.positions}, P={self.num_parallel}, C={self.chunk_size}, "
            f"nw={self.warps_per_block}, K={self.blocks_per_chunk})"
        )


@dataclass
class Outputs:
    """What a run leaves, or what an implementation under test left. Tensors a form lacks are None.

    bank      [slots, hd]     float32, or bf16 as uint16
    snapshot  [N * n, hd]     forms "raw" and "bf16"
    payload   [N * n, bytes]  uint8; forms "fp8" and "int4"
    scale     [N * n]         float32; forms "fp8" and "int4"
    """

    bank: Any
    snapshot: Any = None
    payload: Any = None
    scale: Any = None


def output_layout(problem: Problem) -> dict[str, tuple[np.dtype, tuple[int, ...], set[str]]]:
    """Element type, shape and accepted type names of each output that the problem's form has."""
    rows = problem.num_chunks * problem.positions
    bf16 = problem.bank_type == "bf16"
    names = BF16_NAMES if bf16 else F32_NAMES
    layout = {"bank": (ELEMENT[problem.bank_type], (problem.slots, problem.head_dim), names)}
    if problem.snapshot == "raw":
        layout["snapshot"] = (ELEMENT[problem.bank_type], (rows, problem.head_dim), names)
    elif problem.snapshot == "bf16":
        layout["snapshot"] = (np.dtype(np.uint16), (rows, problem.head_dim), BF16_NAMES)
    elif problem.snapshot in ("fp8", "int4"):
        layout["payload"] = (np.dtype(np.uint8), (rows, problem._core.snapshot_row_bytes), BYTE_NAMES)
        layout["scale"] = (np.dtype(np.float32), (rows,), F32_NAMES)
    return layout


def make_outputs(problem: Problem, poison: int = 0xA5) -> Outputs:
    """Fresh outputs: the bank as it was before, every other byte `poison`."""
    made = {}
    for name, (dtype, shape, _) in output_layout(problem).items():
        tensor = aligned_empty(int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        tensor[...] = poison
        made[name] = tensor.view(dtype).reshape(shape)
    made["bank"][...] = problem.bank_before
    return Outputs(**made)


def random_problem(
    seed: int, index: int, *, parameters: dict[str, Any] | None = None, max_elements: int = 1 << 16
) -> Problem:
    """Problem `index` of the stream that `seed` names: the same bits everywhere, always well-formed.

    Without `parameters` they too are drawn: border cases of every form and head size come first.
    """
    text = _core.draw_parameters(seed, index, max_elements) if parameters is None else json.dumps(parameters)
    return Problem._of(_core.generate_problem(text, seed, index))


def random_parameters(seed: int, index: int, *, max_elements: int = 1 << 16) -> dict[str, Any]:
    """The parameters that random_problem draws, to look at or to change."""
    return json.loads(_core.draw_parameters(seed, index, max_elements))
