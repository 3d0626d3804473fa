"""The kernels for a GPU against what they are defined to be, run by Triton's interpreter on a processor."""

import pytest

pytest.importorskip("torch", reason="the bias needs torch: pip install 'aptone[local]'")
pytest.importorskip("triton", reason="triton comes with torch for GPUs only")

import os
import subprocess
import sys

SCRIPT = """
import itertools
import torch
from aptone.models.omni.attention import Bias, Trace, _row, log_gates
from aptone.models.omni.attention_layout import Region
from aptone.models.omni.attention_layout import Piece
from aptone.models.omni.attention_pieces import PlainOperations, Gates
from aptone.models.omni.attention_triton import OnCuda, row_of_bias

torch.manual_seed(1)
defined, kernels = PlainOperations(), OnCuda()
for heads, queries, width in ((3, 21, 16), (4, 5, 32)):
    # The piece is a part of a batch that has a row and two queries before it, and one of each behind it.
    rows, places = (1, 3), (2, 2 + queries)
    out = torch.randn(4, queries + 3, heads, width).transpose(1, 2)
    grad = torch.randn(4, heads, queries + 3, width)
    own = torch.randn(2, heads, queries, width)
    sums, own_sums = torch.randn(4, heads, queries + 3), torch.randn(2, heads, queries)
    active = torch.rand(4, queries + 5)[:, 2:] > 0.4
    gates = Gates(torch.randn(4, queries + 3, 3), active)
    for (region, first), given in itertools.product(itertools.product(Region, Region), (None, gates)):
        piece = Piece(rows, places, places, True, region, first, is_first=False)
        pairs = [(out.clone(), sums.clone()) for _ in range(2)]
        for operations, pair in zip((defined, kernels), pairs):
            operations.merge(*pair, own, own_sums, given, piece)
        for one, other in zip(*pairs):
            torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(defined.shifted(sums, given, piece), kernels.shifted(sums, given, piece))
        if given is not None:
            gate_grad = [torch.ones(4, queries + 3, 3) for _ in range(2)]
            for operations, one in zip((defined, kernels), gate_grad):
                operations.add_gate_gradient(one, grad, own, own_sums, out, sums, given, piece)
            torch.testing.assert_close(*gate_grad, atol=1e-3, rtol=1e-4)
    wholes = [out.clone() for _ in range(2)]
    for operations, whole in zip((defined, kernels), wholes):
        operations.add(whole, own, piece)
    torch.testing.assert_close(*wholes)
linears = tuple(torch.nn.Linear(40, 1) for _ in range(3))
states, regions = torch.randn(3, 1, 40), torch.randint(0, 4, (3, 13))
active = torch.rand(3, 13) > 0.5
active[:, -1] = torch.tensor([True, False, True])
with torch.no_grad():
    for padding in (None, torch.rand(3, 13) > 0.3):
        found = row_of_bias(states, linears, regions=regions, active=active, padding=padding)
        trace = Trace(regions, active, regions)
        expected = _row(Bias(trace, log_gates(*(one(states) for one in linears))), padding, torch.float32)
        torch.testing.assert_close(found, expected)
"""


def test_kernels_compute_what_is_defined() -> None:
    # The interpreter is chosen when kernels are defined, so they are defined in a process of their own.
    interpreted = {**os.environ, "TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, "-c", SCRIPT], check=True, env=interpreted)
