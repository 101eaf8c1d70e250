# SPDX-License-Identifier: Apache-2.0
"""Construction and validation of problems (PLN-1, PLN-2, REC-5, REC-6, TIL-1, TIL-4)."""

import gc
import pickle

import numpy as np
import pytest
from conftest import LAST, tensors

import chainwalk


def make(bank, delta_v, records, **more):
    return chainwalk.Problem(bank, delta_v, records, **{"num_parallel": 2, "chunk_size": 4, **more})


def test_sizes_and_views(small):
    bank, delta_v, records = small
    problem = make(*small, snapshot="raw")
    assert (problem.bank_type, problem.snapshot, problem.slots, problem.head_dim) == ("f32", "raw", 8, 4)
    assert (problem.num_chunks, problem.positions, problem.steps, problem.delta_v_step_rows) == (2, 4, 1, 8)
    np.testing.assert_array_equal(problem.bank_before, bank)
    np.testing.assert_array_equal(problem.delta_v, delta_v)
    np.testing.assert_array_equal(problem.records, records)
    assert problem.tile_bounds.shape == (2, problem.tiles_per_chunk + 1)
    assert problem.group_prefix[0, -1] == 2
    np.testing.assert_array_equal(problem.snapshot_rows_written(), [True, True, False, False] * 2)
    assert chainwalk.validate(problem) == []
    with pytest.raises(ValueError):
        problem.bank_before[0, 0] = 1


def test_inputs_are_copied_unless_told_otherwise(small):
    bank, delta_v, records = small
    before = bank.copy()
    copied = make(bank, delta_v, records)
    viewed = make(bank, delta_v, records, copy=False)
    bank[0, 0] += 1
    np.testing.assert_array_equal(copied.bank_before, before)
    if bank.ctypes.data % 16 == 0:
        np.testing.assert_array_equal(viewed.bank_before, bank)


def test_views_outlive_their_arrays():
    problem = make(*tensors(), copy=False)
    view = problem.bank_before
    expected = view.copy()
    del problem
    gc.collect()
    np.testing.assert_array_equal(view, expected)


def test_strided_and_unaligned_arrays_are_taken(small):
    bank, delta_v, records = small
    wide = np.zeros((8, 8), dtype=np.float32)
    wide[:, ::2] = bank
    problem = make(wide[:, ::2], delta_v, np.asfortranarray(records).view(np.int32), copy=False)
    np.testing.assert_array_equal(problem.bank_before, bank)
    np.testing.assert_array_equal(problem.records, records)


@pytest.mark.parametrize(
    ("change", "rule", "text"),
    [
        ({"bank": np.zeros((8, 4))}, "PLN-1", "bank has elements of type float64"),
        ({"bank": np.zeros(8, np.float32)}, "PLN-1", r"bank has shape \[8\]"),
        ({"bank": "text"}, "PLN-1", "bank"),
        ({"bank": None}, "PLN-1", "bank is a NoneType"),
        ({"delta_v": np.zeros((8, 5), np.float32)}, "PLN-2", "delta_v has 5 columns; bank has 4"),
        ({"records": np.zeros((2, 4, 3), np.int32)}, "REC-1", r"\[2, 4, 3\]"),
        ({"records": np.zeros((2, 4, 4), np.int64)}, "PLN-1", "int64"),
        ({"records": np.zeros((2, 4, 4), ">i4")}, "PLN-1", "byte order"),
        ({"bank_type": "bf16"}, "PLN-1", "bank_type is 'bf16'"),
        ({"tile_bounds": np.zeros((2, 9), np.int32)}, "TIL-4", "together"),
    ],
)
def test_arrays_of_the_wrong_kind_are_refused(small, change, rule, text):
    arguments = dict(zip(("bank", "delta_v", "records"), small)) | {"num_parallel": 2, "chunk_size": 4} | change
    with pytest.raises(chainwalk.ChainwalkInputError, match=text) as caught:
        chainwalk.Problem(**arguments)
    assert caught.value.rule == rule


def test_tiles_of_the_wrong_shape_are_refused(small):
    given = {"tile_bounds": np.zeros((2, 8), np.int32), "group_prefix": np.zeros((2, 8), np.int32)}
    with pytest.raises(chainwalk.ChainwalkInputError, match=r"\[2, K \* 8 \+ 1\]"):
        make(*small, **given)


def test_unknown_words_are_value_errors(small):
    with pytest.raises(ValueError, match="snapshot is 'int8'"):
        make(*small, snapshot="int8")
    with pytest.raises(ValueError, match="implementation is 'gpu'"):
        chainwalk.run(make(*small), implementation="gpu")


def test_faults_name_rule_chunk_and_position(small):
    bank, delta_v, records = small
    records[1, 3, 1] = 8  # one past the bank
    problem = make(bank, delta_v, records)
    faults = chainwalk.validate(problem)
    assert [(f.rule, f.chunk, f.position) for f in faults] == [("REC-5", 1, 3)]
    assert "8" in faults[0].message
    with pytest.raises(chainwalk.ChainwalkInputError) as caught:
        chainwalk.run(problem)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.rule, caught.value.chunk, caught.value.position) == ("REC-5", 1, 3)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (str(copy), copy.rule, copy.chunk, copy.position) == (str(caught.value), "REC-5", 1, 3)


def test_ill_formed_flags_are_named(small):
    bank, delta_v, records = small
    records[0, 3, 0] &= ~np.uint32(LAST)
    faults = chainwalk.validate(make(bank, delta_v, records))
    assert faults[0].rule == "REC-6" and faults[0].chunk == 0


def test_sizes_out_of_range_are_refused(small):
    for change in ({"num_parallel": 0}, {"chunk_size": 257}, {"warps_per_block": 5}, {"chunk_size": 1 << 40}):
        with pytest.raises(chainwalk.ChainwalkInputError):
            chainwalk.run(make(*small, **change))


def test_standard_tiles_keep_every_bit(small):
    problem = make(*small, snapshot="fp8")
    other = problem.with_standard_tiles(4, 3)
    assert (other.warps_per_block, other.blocks_per_chunk) == (4, 3)
    assert chainwalk.compare(problem, chainwalk.run(problem), chainwalk.run(other)) == []
    with pytest.raises(chainwalk.ChainwalkInputError):
        problem.with_standard_tiles(5, 1)


def test_random_problems_are_the_same_every_time():
    for index in range(20):
        problem = chainwalk.random_problem(3, index)
        again = chainwalk.random_problem(3, index)
        assert chainwalk.validate(problem) == []
        np.testing.assert_array_equal(problem.records, again.records)
        parameters = chainwalk.random_parameters(3, index)
        assert chainwalk.random_problem(3, index, parameters=parameters).head_dim == problem.head_dim
