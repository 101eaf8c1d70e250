# SPDX-License-Identifier: Apache-2.0
"""The oracle's arithmetic over arrays, against NumPy and ml_dtypes (NUM-1, NUM-4 to NUM-7, QNT-6)."""

import numpy as np
import pytest

import chainwalk
from chainwalk import arithmetic

NAN = 0x7FFFFFFF


def patterns(count, seed):
    return np.random.default_rng(seed).integers(0, 1 << 32, count, dtype=np.uint32)


def canonical(values):
    found = np.asarray(values, dtype=np.float32)
    return np.where(np.isnan(found), np.uint32(NAN), found.view(np.uint32))


def test_products_and_quotients_as_numpy():
    a, b = patterns(1_000_000, 1), patterns(1_000_000, 2)
    with np.errstate(all="ignore"):
        product = canonical(a.view(np.float32) * b.view(np.float32))
        quotient = canonical(a.view(np.float32) / b.view(np.float32))
    np.testing.assert_array_equal(chainwalk.mul_bits(a, b), product)
    np.testing.assert_array_equal(chainwalk.div_bits(a, b), quotient)


def test_fma_rounds_once():
    # (1 + 2^-23)^2 - (1 + 2^-22) = 2^-46
    assert int(chainwalk.fma_bits(0x3F800001, 0x3F800001, 0xBF800002)) == 0x28800000
    assert int(chainwalk.fma_bits(0x7F800000, 0, 0)) == NAN


def test_bf16_as_ml_dtypes():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: pip install ml_dtypes")
    f32 = patterns(1_000_000, 3)
    values = f32.view(np.float32)
    with np.errstate(all="ignore"):
        narrow = np.where(np.isnan(values), np.uint16(0x7FFF), values.astype(ml_dtypes.bfloat16).view(np.uint16))
    np.testing.assert_array_equal(chainwalk.narrow_bits(f32), narrow)
    every = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
    np.testing.assert_array_equal(chainwalk.widen_bits(every), every.astype(np.uint32) << 16)


def test_e4m3_as_ml_dtypes_where_nothing_saturates():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: pip install ml_dtypes")
    values = np.random.default_rng(4).uniform(-448, 448, 500_000).astype(np.float32)
    values[::2] *= np.float32(2.0) ** np.random.default_rng(5).integers(-20, 1, values[::2].size)
    expected = values.astype(ml_dtypes.float8_e4m3fn).view(np.uint8)
    np.testing.assert_array_equal(chainwalk.e4m3_bits(values.view(np.uint32)), expected)


def test_nibbles_as_numpy():
    values = np.concatenate([np.arange(-40, 41) / np.float32(4), np.random.default_rng(6).normal(0, 5, 100_000)])
    values = values.astype(np.float32)
    expected = np.clip(np.rint(values), -8, 7).astype(np.int8).view(np.uint8) & 15
    np.testing.assert_array_equal(chainwalk.nibble_bits(values.view(np.uint32)), expected)
    assert int(chainwalk.nibble_bits(0x7FC00000)) == 7


def test_shapes_broadcast_and_scalars_are_taken():
    column = np.full((3, 1), 0x40000000, dtype=np.uint32)
    row = np.full(5, 0x3F800000, dtype=np.uint32)
    result = chainwalk.mul_bits(column, row)
    assert result.shape == (3, 5) and (result == 0x40000000).all()
    strided = np.arange(20, dtype=np.uint32)[::3]
    np.testing.assert_array_equal(chainwalk.mul_bits(strided, 0x3F800000), strided)
    assert chainwalk.widen_bits(np.empty(0, np.uint16)).shape == (0,)


def test_what_is_no_pattern_is_refused():
    with pytest.raises(TypeError, match="float32"):
        chainwalk.narrow_bits(np.float32(1))
    with pytest.raises(ValueError, match="0xffff"):
        chainwalk.widen_bits(0x10000)
    with pytest.raises(ValueError):
        chainwalk.narrow_bits(-1)
    with pytest.raises(ValueError):
        chainwalk.mul_bits(np.zeros(3, np.uint32), np.zeros(4, np.uint32))


def test_every_function_says_what_it_does():
    for name in arithmetic.__all__:
        assert getattr(chainwalk, name).__doc__
