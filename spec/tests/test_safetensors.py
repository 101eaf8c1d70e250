#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Interoperation of capture files with the safetensors library of NumPy and, where installed, PyTorch (CAP-1 to CAP-4).
"""Usage: test_safetensors.py REWRITE_CAPTURE VECTORS

Exit status 77, which ctest takes for skipped, where safetensors or NumPy is not installed.
"""
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
    from safetensors import safe_open, serialize_file
    from safetensors.numpy import load_file, save_file
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

try:
    from safetensors import TensorSpec
except ImportError:  # before version 0.8 a tensor was handed over as a dictionary
    TensorSpec = None

try:
    import torch
    from safetensors.torch import load_file as torch_load, save_file as torch_save
except ImportError:
    torch = None

CORE_NAMES = {"BF16": "bfloat16", "F32": "float32", "I32": "int32", "U8": "uint8"}


def raw(path):
    """Tensor name -> (dtype, shape, bytes), read without any library."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + length])
    header.pop("__metadata__", None)
    return {name: (entry["dtype"], entry["shape"], data[8 + length:][slice(*entry["data_offsets"])])
            for name, entry in header.items()}


def metadata(path):
    with safe_open(path, "numpy") as file:
        return file.metadata()


def core_tensor(dtype, shape, data):
    """What serialize_file takes; `data` has to outlive the call."""
    if TensorSpec is None:
        return {"dtype": CORE_NAMES[dtype], "shape": shape, "data": data}
    address = numpy.frombuffer(data, numpy.uint8).ctypes.data
    return TensorSpec(dtype=CORE_NAMES[dtype], shape=shape, data_ptr=address, data_len=len(data))


def rewrite(tool, source, target):
    result = subprocess.run([tool, source, target], capture_output=True, text=True)
    assert result.returncode == 0, f"{source}: {result.stderr}"


def check(tool, path, folder):
    ours, theirs, back = folder / "ours.safetensors", folder / "theirs.safetensors", folder / "back.safetensors"
    needed = raw(path)
    # Ours, read by the library: names, types, shapes and metadata pass its own checks.
    rewrite(tool, path, ours)
    assert raw(ours) == needed, f"{path.name}: changed by rewriting"
    assert metadata(ours).items() >= metadata(path).items(), path.name
    with safe_open(ours, "numpy") as file:
        assert sorted(file.keys()) == sorted(needed), path.name
        for name in needed:
            assert list(file.get_slice(name).get_shape()) == needed[name][1], name
    # Theirs, read by us: NumPy itself has no bf16, so every file goes through the library's core, and
    # those without bf16 through its NumPy front too.
    serialize_file({name: core_tensor(*entry) for name, entry in needed.items()}, theirs, metadata(path))
    rewrite(tool, theirs, back)
    assert raw(back) == needed, f"{path.name}: changed by the library and back"
    written = 1
    if torch is not None:
        torch_save(torch_load(ours), theirs, metadata=metadata(path))
        rewrite(tool, theirs, back)
        assert raw(back) == needed, f"{path.name}: changed by PyTorch's library and back"
        written += 1
    if all(entry[0] != "BF16" for entry in needed.values()):
        tensors = load_file(ours)
        for name, (_, shape, data) in needed.items():
            assert list(tensors[name].shape) == shape and tensors[name].tobytes() == data, name
        save_file(tensors, theirs, metadata=metadata(path))
        rewrite(tool, theirs, back)
        assert raw(back) == needed, f"{path.name}: changed by NumPy's library and back"
        written += 1
    return written


def main():
    tool, vectors = sys.argv[1], pathlib.Path(sys.argv[2])
    paths = sorted(vectors.glob("*.safetensors"))
    with tempfile.TemporaryDirectory() as folder:
        written = sum(check(tool, path, pathlib.Path(folder)) for path in paths)
    print(f"{len(paths)} files read by the library, {written} written by it and read back; "
          f"PyTorch {'taken' if torch else 'absent'}, NumPy {numpy.__version__}")
    assert paths and written
    return 0


if __name__ == "__main__":
    sys.exit(main())
