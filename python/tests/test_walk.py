# SPDX-License-Identifier: Apache-2.0
"""My tensors against the reference, bit for bit, as a user writes it (ARI-1 to ARI-4, SNP-2, QNT)."""

import numpy as np
import pytest
from conftest import INVALID, LAST, tensors

import chainwalk
from chainwalk import fma_bits, narrow_bits, widen_bits


def my_kernel(bank, delta_v, records, chunk_size, *, truncate=False):
    """A walk of one step as a user might write it, in place on a bf16 `bank`; snapshot rows too."""
    chunks, positions = records.shape[:2]
    snapshot = np.zeros((chunks * positions, bank.shape[1]), dtype=np.uint16)
    for stream, chunk in enumerate(records):
        chain = np.zeros(bank.shape[1], dtype=np.uint32)
        ordinal = 0
        for x, slot, scale, decay in chunk:
            row = delta_v[stream * chunk_size + min((x >> 9) & 255, chunk_size - 1)]
            chain = fma_bits(scale, row.view(np.uint32), chain)
            if x & LAST:
                if not x & INVALID:
                    snapshot[stream * positions + ordinal] = bank[slot]
                    ordinal += 1
                    out = fma_bits(widen_bits(bank[slot]), decay, chain)
                    bank[slot] = out >> 16 if truncate else narrow_bits(out)
                chain = np.zeros_like(chain)
    return snapshot


def test_my_tensors_against_the_reference():
    bank, delta_v, records = tensors(head_dim=24, bank_type=np.uint16)
    problem = chainwalk.Problem(bank, delta_v, records, num_parallel=2, chunk_size=4, snapshot="raw")
    snapshot = my_kernel(bank, delta_v, records, 4)
    chainwalk.assert_conforms(problem, chainwalk.Outputs(bank=bank, snapshot=snapshot))
    chainwalk.assert_conforms(problem, chainwalk.Outputs(bank=bank, snapshot=snapshot), "oracle")


def test_a_truncating_kernel_is_found_out():
    bank, delta_v, records = tensors(head_dim=24, bank_type=np.uint16)
    problem = chainwalk.Problem(bank, delta_v, records, num_parallel=2, chunk_size=4, snapshot="raw")
    snapshot = my_kernel(bank, delta_v, records, 4, truncate=True)
    with pytest.raises(AssertionError, match=r"bank\[\d+, \d+\]: expected 0x[0-9A-F]{4}, found 0x[0-9A-F]{4}"):
        chainwalk.assert_conforms(problem, chainwalk.Outputs(bank=bank, snapshot=snapshot))


def test_ml_dtypes_tensors():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed: pip install ml_dtypes")
    bank, delta_v, records = tensors(bank_type=np.uint16)
    problem = chainwalk.Problem(
        bank.view(ml_dtypes.bfloat16), delta_v, records, num_parallel=2, chunk_size=4, bank_type="bf16"
    )
    my_kernel(bank, delta_v, records, 4)
    chainwalk.assert_conforms(problem, chainwalk.Outputs(bank=bank.view(ml_dtypes.bfloat16)))


def test_every_kind_of_random_problem_agrees_on_reference_and_oracle():
    kinds = set()
    for index in range(120):
        problem = chainwalk.random_problem(11, index, max_elements=1 << 12)
        kinds.add((problem.bank_type, problem.snapshot))
        expected = chainwalk.run(problem, "oracle")
        for instruction_set in ("best", "portable"):
            actual = chainwalk.run(problem, threads=1 + index % 3, instruction_set=instruction_set)
            assert chainwalk.compare(problem, expected, actual) == [], problem
    assert len(kinds) >= 8, kinds


def test_steps_one_by_one():
    parameters = chainwalk.random_parameters(5, 0)
    parameters.update(steps=3, snapshot="none")
    problem = chainwalk.random_problem(5, 0, parameters=parameters)
    outputs = chainwalk.make_outputs(problem)
    for step in range(problem.steps):
        chainwalk.run_steps(problem, outputs, step, step + 1)
    assert problem.steps == 3
    assert chainwalk.compare(problem, chainwalk.run(problem, "oracle"), outputs) == []
    for begin, end in ((0, 4), (-1, 1), (2, 1)):
        with pytest.raises(IndexError, match="steps"):
            chainwalk.run_steps(problem, outputs, begin, end)


def test_outputs_that_do_not_fit_are_refused(small):
    bank, delta_v, records = small
    problem = chainwalk.Problem(bank, delta_v, records, num_parallel=2, chunk_size=4, snapshot="fp8")
    outputs = chainwalk.make_outputs(problem)
    short = chainwalk.Outputs(outputs.bank, payload=outputs.payload[:-1], scale=outputs.scale)
    with pytest.raises(chainwalk.ChainwalkInputError):
        chainwalk.run_steps(problem, short, 0, 1)
    with pytest.raises(chainwalk.ChainwalkInputError, match="payload"):
        chainwalk.compare(problem, outputs, short)
    with pytest.raises(chainwalk.ChainwalkInputError, match="scale is missing"):
        chainwalk.compare(problem, outputs, chainwalk.Outputs(outputs.bank, payload=outputs.payload))
    viewed = chainwalk.Problem(bank, delta_v, records, num_parallel=2, chunk_size=4, copy=False)
    with pytest.raises(ValueError):
        chainwalk.run_steps(viewed, chainwalk.Outputs(viewed.bank_before), 0, 1)


def test_unwritten_rows_keep_the_poison_and_are_not_compared(small):
    problem = chainwalk.Problem(*small, num_parallel=2, chunk_size=4, snapshot="fp8")
    first = chainwalk.run(problem, poison=0x11)
    second = chainwalk.run(problem, poison=0xEE)
    unwritten = ~problem.snapshot_rows_written()
    assert (first.payload[unwritten] == 0x11).all() and (second.payload[unwritten] == 0xEE).all()
    assert chainwalk.compare(problem, first, second) == []
    assert chainwalk.compare(problem, first, second, poison=0xEE) == []
    assert [d.tensor for d in chainwalk.compare(problem, first, second, poison=0x11)] == ["payload", "scale"]


def test_compare_looks_at_bits(small):
    problem = chainwalk.Problem(*small, num_parallel=2, chunk_size=4)
    left, right = chainwalk.run(problem), chainwalk.run(problem)
    left.bank[0, 1], right.bank[0, 1] = 0.0, -0.0
    left.bank.view(np.uint32)[5, 2], right.bank.view(np.uint32)[5, 2] = 0x7FC00000, 0x7FC00000
    differences = chainwalk.compare(problem, left, right)
    found = [(d.tensor, d.row, d.column, d.expected, d.actual, d.count) for d in differences]
    assert found == [("bank", 0, 1, "0x00000000", "0x80000000", 1)]


def test_explain_gives_the_stored_bits(small):
    problem = chainwalk.Problem(*small, num_parallel=2, chunk_size=4, snapshot="fp8")
    outputs = chainwalk.run(problem, "oracle")
    trace = chainwalk.explain(problem, 1, 0, 3)
    assert [member.token for member in trace.members] == [0, 1]
    assert trace.stored_bits == outputs.bank.view(np.uint32)[trace.slot, 3]
    assert trace.snapshot_bits == outputs.payload[trace.snapshot_row, 3]
    assert trace.quantizer_scale_bits == outputs.scale.view(np.uint32)[trace.snapshot_row]
    text = chainwalk.format_trace(trace)
    assert f"0x{trace.out_bits:08X}" in text and "ARI-2" in text
    assert "INVALID" in chainwalk.format_trace(chainwalk.explain(problem, 0, 1, 0))
    with pytest.raises(IndexError, match="column"):
        chainwalk.explain(problem, 0, 0, 4)
