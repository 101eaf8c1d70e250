# SPDX-License-Identifier: Apache-2.0
"""Arrays of any kind to NumPy, by bits: NumPy, ml_dtypes, PyTorch, anything with DLPack (PLN-1, PLN-2)."""

from __future__ import annotations

import sys

import numpy as np

from ._errors import ChainwalkInputError

# Element types by name. Signed and unsigned integers of the same width carry the same bits.
BF16_NAMES = {"bfloat16", "uint16", "int16"}
F32_NAMES = {"float32", "uint32", "int32"}
INT32_NAMES = {"int32", "uint32"}
BYTE_NAMES = {"uint8", "int8", "float8_e4m3fn"}


def to_numpy(array, name: str) -> np.ndarray:
    """`array` as a NumPy array with the same bits; types NumPy lacks come as unsigned integers."""
    if isinstance(array, np.ndarray):
        return array
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(array, torch.Tensor):
        return _from_torch(torch, array)
    if hasattr(array, "__dlpack__"):
        return np.from_dlpack(array)
    converted = np.asarray(array)
    if converted.dtype == object:
        raise ChainwalkInputError(f"PLN-1: {name} is a {type(array).__name__}, which is no array of numbers", "PLN-1")
    return converted


def _from_torch(torch, tensor) -> np.ndarray:
    tensor = tensor.detach().cpu().contiguous()
    # NumPy has no bfloat16 and no float8: the same bits as integers.
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(np.uint16)
    if str(tensor.dtype) == "torch.float8_e4m3fn":
        return tensor.view(torch.uint8).numpy()
    return tensor.numpy()


def require(array, name: str, names: set[str], ndim: int) -> np.ndarray:
    """`array` as NumPy, of `ndim` dimensions and a type in `names`."""
    converted = to_numpy(array, name)
    if converted.dtype.name not in names:
        raise ChainwalkInputError(
            f"PLN-1: {name} has elements of type {converted.dtype.name}; needed is one of {', '.join(sorted(names))}",
            "PLN-1",
        )
    if converted.ndim != ndim:
        raise ChainwalkInputError(
            f"PLN-1: {name} has shape {list(converted.shape)}; needed are {ndim} dimensions", "PLN-1"
        )
    if not converted.dtype.isnative:
        raise ChainwalkInputError(f"PLN-1: {name} is not in this machine's byte order", "PLN-1")
    return converted


def aligned(array: np.ndarray) -> np.ndarray:
    """The array itself where it is contiguous and aligned to 16 bytes, else a copy that is."""
    return array if array.flags.c_contiguous and array.ctypes.data % 16 == 0 else aligned_copy(array)


def aligned_copy(array: np.ndarray) -> np.ndarray:
    """A contiguous copy whose first byte lies at a multiple of 64."""
    copy = aligned_empty(array.nbytes).view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def aligned_empty(nbytes: int) -> np.ndarray:
    raw = np.empty(nbytes + 63, dtype=np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + nbytes]


def as_bytes(array: np.ndarray | None) -> np.ndarray | None:
    """A flat view of the bytes of a contiguous array."""
    if array is None:
        return None
    return array.reshape(-1).view(np.uint8) if array.size else np.empty(0, dtype=np.uint8)
