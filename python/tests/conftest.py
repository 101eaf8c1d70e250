# SPDX-License-Identifier: Apache-2.0
"""Shared inputs of the tests: the recorded problems, and a small problem by hand."""

import os
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [ROOT / "spec/vectors", ROOT / "shared/captures", ROOT.parent / "shared/captures"]
FIRST, LAST, INVALID = 0x80000000, 0x40000000, 0x00020000
ONE = 0x3F800000


def recorded_problems():
    folders = FOLDERS + [Path(p) for p in [os.environ.get("CHAINWALK_CAPTURES")] if p]
    by_name = {}
    for folder in folders:
        for path in sorted(folder.glob("*.safetensors")):
            by_name.setdefault(path.name, path)
    return list(by_name.values())


def bits(value):
    """The pattern of one f32."""
    return int(np.float32(value).view(np.uint32))


def tensors(head_dim=4, bank_type=np.float32):
    """Bank, token rows and records of one step of two streams: a group of two members, a group of one
    and an INVALID one in each."""
    generator = np.random.default_rng(7)
    bank = generator.standard_normal((8, head_dim), dtype=np.float32)
    if bank_type == np.uint16:
        bank = (bank.view(np.uint32) >> 16).astype(np.uint16)
    delta_v = generator.standard_normal((8, head_dim), dtype=np.float32)
    records = np.zeros((2, 4, 4), dtype=np.uint32)
    for stream in range(2):
        flags = [FIRST, LAST | 1 << 9, FIRST | LAST | INVALID | 2 << 9, FIRST | LAST | 3 << 9]
        slots = [0, 2 + 4 * stream, 0, 1 + 4 * stream]
        for position in range(4):
            records[stream, position] = [flags[position], slots[position], bits(0.3 + position), bits(0.9)]
    return bank, delta_v, records


@pytest.fixture
def small():
    return tensors()
