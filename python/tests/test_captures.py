# SPDX-License-Identifier: Apache-2.0
"""Recorded problems, and capture files in and out (CAP)."""

import json

import numpy as np
import pytest
from conftest import recorded_problems, tensors

import chainwalk

FILES = recorded_problems()


def test_there_are_recorded_problems():
    assert FILES, "no recorded problem was found"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_recorded_problem(path):
    capture = chainwalk.read_capture(path)
    assert chainwalk.validate(capture.problem) == []
    chainwalk.assert_conforms(capture.problem, capture.expected, "reference")
    chainwalk.assert_conforms(capture.problem, capture.expected, "oracle")


def small_problem(snapshot="fp8"):
    return chainwalk.Problem(*tensors(), num_parallel=2, chunk_size=4, snapshot=snapshot)


@pytest.mark.parametrize("snapshot", ["none", "raw", "bf16", "fp8", "int4"])
def test_written_and_read_back(tmp_path, snapshot):
    problem = small_problem(snapshot)
    expected = chainwalk.run(problem)
    path = tmp_path / "one.safetensors"
    chainwalk.write_capture(path, problem, expected, device="mine", source="a test", metadata={"note": "x"})
    capture = chainwalk.read_capture(path)
    assert (capture.device, capture.source, capture.metadata["note"]) == ("mine", "a test", "x")
    assert capture.problem.snapshot == snapshot
    for name in ("bank_before", "delta_v", "records", "tile_bounds", "group_prefix"):
        np.testing.assert_array_equal(getattr(capture.problem, name), getattr(problem, name))
    assert chainwalk.compare(problem, expected, capture.expected) == []


def test_inputs_alone(tmp_path):
    path = tmp_path / "inputs.safetensors"
    chainwalk.write_capture(path, small_problem())
    assert chainwalk.read_capture(path).expected is None


def test_one_flipped_bit_is_found(tmp_path):
    problem = small_problem()
    for name in ("bank", "payload", "scale"):
        outputs = chainwalk.run(problem)
        written = np.flatnonzero(problem.snapshot_rows_written())
        row = 3 if name == "bank" else written[1]
        getattr(outputs, name)[row : row + 1].reshape(-1).view(np.uint8)[0] ^= 1
        path = tmp_path / f"{name}.safetensors"
        chainwalk.write_capture(path, problem, outputs)
        with pytest.raises(AssertionError, match=rf"{name}\[{row}, 0\].*1 element differs"):
            chainwalk.assert_conforms(problem, chainwalk.read_capture(path).expected)


def test_the_safetensors_package_reads_ours(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy", reason="safetensors is not installed: pip install safetensors")
    problem = small_problem()
    path = tmp_path / "ours.safetensors"
    expected = chainwalk.run(problem)
    chainwalk.write_capture(path, problem, expected)
    tensors_read = safetensors.load_file(path)
    np.testing.assert_array_equal(tensors_read["bank_after"], expected.bank)
    np.testing.assert_array_equal(tensors_read["records"].view(np.uint32), problem.records)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.safetensors"):
        chainwalk.read_capture(tmp_path / "missing.safetensors")
    with pytest.raises(OSError):
        chainwalk.write_capture(tmp_path / "no" / "folder.safetensors", small_problem())


def test_malformed_files(tmp_path):
    path = tmp_path / "good.safetensors"
    chainwalk.write_capture(path, small_problem(), chainwalk.run(small_problem()))
    good = path.read_bytes()
    length = int.from_bytes(good[:8], "little")
    header = json.loads(good[8 : 8 + length])
    assert "bank_before" in header
    broken = {
        "empty": b"",
        "short": good[:5],
        "cut": good[:-1],
        "long": good + b"\0",
        "length": (1 << 63).to_bytes(8, "little") + good[8:],
        "json": good[:8] + b"}" + good[9:],
    }
    for name, content in broken.items():
        bad = tmp_path / f"{name}.safetensors"
        bad.write_bytes(content)
        with pytest.raises(chainwalk.ChainwalkInputError, match=name):
            chainwalk.read_capture(bad)
