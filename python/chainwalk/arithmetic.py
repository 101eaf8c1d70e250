# SPDX-License-Identifier: Apache-2.0
"""The oracle's arithmetic on bit patterns, elementwise over arrays (NUM-1, NUM-4 to NUM-7, QNT-6).

Every function takes unsigned integers that hold f32 (uint32) or bf16 (uint16) patterns, in arrays or
alone, broadcasts them against each other, and gives patterns. No floating-point instruction runs.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core

__all__ = ["fma_bits", "mul_bits", "div_bits", "narrow_bits", "widen_bits", "e4m3_bits", "nibble_bits"]


def _elementwise(operation, result_type, operand_type, operands):
    arrays = []
    for operand in operands:
        array = np.asarray(operand)
        if array.dtype != operand_type:
            info = np.iinfo(operand_type)
            if array.dtype.kind not in "iu":
                raise TypeError(f"bit patterns are {np.dtype(operand_type).name}, not {array.dtype.name}; use .view()")
            if array.size and (array.min() < 0 or array.max() > info.max):
                raise ValueError(f"a bit pattern lies outside 0..{info.max:#x}")
            array = array.astype(operand_type)
        arrays.append(array)
    arrays = np.broadcast_arrays(*arrays)
    result = np.empty(arrays[0].shape, dtype=result_type)
    flat = result.reshape(-1)
    operation(*(np.ascontiguousarray(array).reshape(-1) for array in arrays), flat)
    return result


def fma_bits(a: ArrayLike, b: ArrayLike, c: ArrayLike) -> NDArray[np.uint32]:
    """a * b + c with one rounding to nearest even (ARI-1, NUM-6)."""
    return _elementwise(_core.fma_bits, np.uint32, np.uint32, (a, b, c))


def mul_bits(a: ArrayLike, b: ArrayLike) -> NDArray[np.uint32]:
    """a * b rounded to nearest even."""
    return _elementwise(_core.mul_bits, np.uint32, np.uint32, (a, b))


def div_bits(a: ArrayLike, b: ArrayLike) -> NDArray[np.uint32]:
    """a / b rounded to nearest even (NUM-7)."""
    return _elementwise(_core.div_bits, np.uint32, np.uint32, (a, b))


def narrow_bits(f32: ArrayLike) -> NDArray[np.uint16]:
    """f32 to bf16, nearest even, NaN to 0x7FFF (NUM-4)."""
    return _elementwise(_core.narrow_bits, np.uint16, np.uint32, (f32,))


def widen_bits(bf16: ArrayLike) -> NDArray[np.uint32]:
    """bf16 to f32, exactly (NUM-4)."""
    return _elementwise(_core.widen_bits, np.uint32, np.uint16, (bf16,))


def e4m3_bits(f32: ArrayLike) -> NDArray[np.uint8]:
    """f32 to e4m3, nearest even, saturating (NUM-5)."""
    return _elementwise(_core.e4m3_bits, np.uint8, np.uint32, (f32,))


def nibble_bits(f32: ArrayLike) -> NDArray[np.uint8]:
    """f32 to a signed nibble in bits 0..3 (QNT-6)."""
    return _elementwise(_core.nibble_bits, np.uint8, np.uint32, (f32,))
