# SPDX-License-Identifier: Apache-2.0
"""The oracle against Berkeley SoftFloat on a million special and random triples (ARI-1, NUM-4, NUM-7)."""

import numpy as np
import pytest

import chainwalk

softfloatpy = pytest.importorskip(
    "softfloatpy", reason="Berkeley SoftFloat is not installed: pip install softfloatpy"
)

COUNT = 1_000_000
NAN32, NAN16 = 0x7FFFFFFF, 0x7FFF
SPECIAL = [
    0x00000000, 0x00000001, 0x00000003, 0x00400000, 0x007FFFFF, 0x00800000, 0x00800001, 0x1F800000, 0x33800000,
    0x34000000, 0x3EFFFFFF, 0x3F000000, 0x3F7FFFFF, 0x3F800000, 0x3F800001, 0x3F808000, 0x3F818000, 0x40400000,
    0x4B800000, 0x5F000000, 0x7E800000, 0x7F000000, 0x7F7F8000, 0x7F7FFFFF, 0x7F800000, 0x7F800001, 0x7FC12345,
]  # fmt: skip


def operands():
    """Three arrays of patterns: every triple of special values of both signs first, then random ones,
    three of four with an addend near the product."""
    special = np.array(SPECIAL + [value | 0x80000000 for value in SPECIAL], dtype=np.uint32)
    cross = [grid.reshape(-1) for grid in np.meshgrid(special, special, special, indexing="ij")]
    generator = np.random.default_rng(2024)
    count = COUNT - cross[0].size
    a, b, c = (generator.integers(0, 1 << 32, count, dtype=np.uint32) for _ in range(3))
    field = (a >> 23 & 255).astype(np.int64) + (b >> 23 & 255) - 127 + generator.integers(-30, 31, count)
    near = c & np.uint32(0x807FFFFF) | np.clip(field, 0, 254).astype(np.uint32) << np.uint32(23)
    c = np.where(np.arange(count) % 4 == 0, c, near)
    return [np.concatenate(pair) for pair in zip(cross, (a, b, c))]


@pytest.fixture(scope="module")
def triples():
    softfloatpy.set_rounding_mode(softfloatpy.RoundingMode.NEAR_EVEN)
    arrays = operands()
    assert arrays[0].size == COUNT
    return arrays, [to_softfloat(array) for array in arrays]


def to_softfloat(array):
    raw = array.astype(">u4").tobytes()
    make = softfloatpy.Float32.from_bytes
    return [make(raw[at : at + 4]) for at in range(0, len(raw), 4)]


def from_softfloat(values, dtype, infinity, nan):
    """Patterns of SoftFloat's results, NaN as the walk stores it (NUM-1)."""
    found = np.frombuffer(b"".join([value.to_bytes() for value in values]), dtype=dtype)
    found = found.astype(dtype[1:])
    magnitude_mask = (1 << (8 * found.itemsize - 1)) - 1
    return np.where((found & magnitude_mask) > infinity, nan, found)


def f32(values):
    return from_softfloat(values, ">u4", 0x7F800000, NAN32)


def expect_equal(actual, expected, *arrays):
    differs = np.flatnonzero(actual != expected)
    if differs.size:
        at = differs[0]
        inputs = ", ".join(f"0x{int(array[at]):08X}" for array in arrays)
        pytest.fail(f"{inputs}: oracle 0x{int(actual[at]):X}, SoftFloat 0x{int(expected[at]):X}; {differs.size} differ")


def test_fma(triples):
    (a, b, c), soft = triples
    expect_equal(chainwalk.fma_bits(a, b, c), f32(list(map(softfloatpy.f32_mul_add, *soft))), a, b, c)


def test_division(triples):
    (a, b, _), soft = triples
    expect_equal(chainwalk.div_bits(a, b), f32(list(map(softfloatpy.f32_div, soft[0], soft[1]))), a, b)


def test_multiplication(triples):
    (a, b, _), soft = triples
    expect_equal(chainwalk.mul_bits(a, b), f32(list(map(softfloatpy.f32_mul, soft[0], soft[1]))), a, b)


def test_narrowing(triples):
    (_, _, c), soft = triples
    expected = from_softfloat(list(map(softfloatpy.f32_to_bf16, soft[2])), ">u2", 0x7F80, NAN16)
    expect_equal(chainwalk.narrow_bits(c), expected, c)
