# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors in (PLN-1)."""

import numpy as np
import pytest
from conftest import tensors

import chainwalk

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")


def test_tensors_of_every_type():
    bank, delta_v, records = tensors(bank_type=np.uint16)
    tensor = torch.from_numpy(bank.view(np.int16)).view(torch.bfloat16)
    problem = chainwalk.Problem(
        tensor, torch.from_numpy(delta_v), torch.from_numpy(records.view(np.int32)),
        num_parallel=2, chunk_size=4, snapshot="fp8",
    )  # fmt: skip
    assert problem.bank_type == "bf16"
    expected = chainwalk.run(problem)
    mine = chainwalk.Outputs(
        bank=torch.from_numpy(expected.bank.view(np.int16)).view(torch.bfloat16),
        payload=torch.from_numpy(expected.payload).view(torch.float8_e4m3fn),
        scale=torch.from_numpy(expected.scale),
    )
    chainwalk.assert_conforms(problem, mine)


def test_a_tensor_rewritten_in_place_does_not_change_the_problem():
    bank, delta_v, records = (torch.from_numpy(t.view(np.int32)) for t in tensors())
    problem = chainwalk.Problem(bank.view(torch.float32), delta_v.view(torch.float32), records, num_parallel=2, chunk_size=4)
    before = problem.bank_before.copy()
    bank.zero_()
    np.testing.assert_array_equal(problem.bank_before, before)
