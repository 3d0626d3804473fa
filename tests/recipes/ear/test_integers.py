import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import math
from importlib.resources import files
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from torch import nn

from recipes.ear.export import export_stem
from recipes.ear.initial_weights import fresh_network
from recipes.ear.integer_stem import Dense, IntegerStem
from recipes.ear.integers import Around, Spread, applied, line_of, spread_of, whole
from recipes.ear.network import NetworkSettings
from tests.recipes.ear.tiny_corpus import Tiny


def test_weights_become_127_steps_at_most_and_a_row_of_zeros_stays_one() -> None:
    steps, scale = whole(torch.tensor([[1.27, -1.27, 0.64, 0.32], [0.0, 0.0, 0.0, 0.0]]))
    # nothing is gained by cutting 1.27 off: the scale is 0.01
    assert steps.tolist() == [[127, -127, 64, 32], [0, 0, 0, 0]]
    assert scale[0].item() == pytest.approx(0.01)


def test_neighbouring_weights_stay_within_sixteen_bits_whatever_they_are_multiplied_with() -> None:
    # Of 32 outputs and 64 inputs at 3 · 3 places. 255 (w + w') is at most 32,767 where w + w' is at most 128.
    weights = torch.randn(32, 64, 3, 3, generator=torch.Generator().manual_seed(8))
    steps, scale = whole(weights)
    sums = steps[:, 0::2].int() + steps[:, 1::2].int()
    assert sums.abs().max().item() * 255 <= 32_767
    assert sums.abs().max().item() == 128  # no more is given away than that
    # nearly all are off by half a step at most: few are cut off
    off = (steps.float() * scale[:, None, None, None] - weights).abs() / scale[:, None, None, None]
    assert (off > 0.5001).float().mean() < 0.01


def test_every_processor_computes_the_same_integers_of_the_shipped_stem() -> None:
    graph = onnx.load(str(files("aptone.ear") / "weights" / "stem.onnx")).graph
    stored = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    products = [stored[node.input[1]].T for node in graph.node if node.op_type == "MatMulIntegerToFloat"]
    convolutions = [stored[node.input[3]] for node in graph.node if node.op_type == "QLinearConv"]
    # two for each of 12 dense layers and one behind them; three for each block with a short cut of its own, two for
    # each without, and two behind them
    assert (len(products), len(convolutions)) == (25, 12)
    for weights in (*products, *convolutions):
        assert np.abs(weights[:, 0::2].astype(int) + weights[:, 1::2]).max() <= 128


def test_one_weight_far_from_many_is_cut_off_where_that_helps_the_many() -> None:
    draw = torch.Generator().manual_seed(1)
    weights = torch.cat([torch.randn(1, 4000, generator=draw), torch.tensor([[8.0, 0.0]])], dim=1)
    steps, scale = whole(weights)
    error = (steps.float() * scale - weights).square().sum()
    plain = 8.0 / 127.0
    assert scale.item() < plain
    assert error < (torch.round(weights / plain) * plain - weights).square().sum()


def test_a_rectified_normal_number_has_the_known_mean_and_deviation() -> None:
    # of a standard normal: 1 / √(2π), and √(1/2 - 1/(2π))
    found = Spread(torch.zeros(1), torch.ones(1)).rectified()
    assert found.mean.item() == pytest.approx(1.0 / math.sqrt(2.0 * math.pi), abs=1e-6)
    assert found.deviation.item() == pytest.approx(math.sqrt(0.5 - 0.5 / math.pi), abs=1e-6)
    # far above zero a rectifier changes nothing
    above = Spread(torch.tensor([9.0]), torch.tensor([0.5])).rectified()
    assert above.mean.item() == pytest.approx(9.0)
    assert above.deviation.item() == pytest.approx(0.5, abs=1e-3)


def test_a_norm_is_a_line_and_tells_mean_and_deviation_of_what_it_gives() -> None:
    norm = nn.BatchNorm1d(1).eval()
    norm.weight.data.fill_(2.0)
    norm.bias.data.fill_(3.0)
    assert norm.running_mean is not None
    norm.running_mean.fill_(10.0)
    line = line_of(norm)
    # 2 (x - 10) / 1 + 3
    assert line.factor.item() == pytest.approx(2.0, abs=1e-4)
    assert line.offset.item() == pytest.approx(-17.0, abs=1e-3)
    assert [value.item() for value in spread_of(norm)] == [3.0, 2.0]


def test_a_product_of_bytes_is_right_on_average() -> None:
    # The means are those of 0 … 255; what the rounding of the weights shifts is taken back.
    draw = torch.Generator().manual_seed(2)
    weights, values = torch.randn(16, 300, generator=draw), 255.0 * torch.rand(1, 2000, 300, generator=draw)
    usual = torch.full((300,), 127.5)
    rough, exact = (Dense(weights, torch.zeros(16), usual, exact=exact) for exact in (False, True))
    difference = rough(rough.rounded(values)) - exact(exact.rounded(values))
    spread = exact(values).std()
    assert difference.std() < 0.02 * spread
    assert difference.mean(dim=(0, 1)).abs().max() < 0.002 * spread


def test_around_a_frame_lie_its_neighbours_and_nothing_beyond_the_ends() -> None:
    frames = torch.tensor([[[1.0], [2.0], [3.0]]])
    assert applied(Around, frames, 2)[0].tolist() == [[0.0, 1.0, 3.0], [0.0, 2.0, 0.0], [1.0, 3.0, 0.0]]


def test_onnx_computes_the_integers_that_torch_computes(tiny: Tiny, tmp_path: Path) -> None:
    network = fresh_network(NetworkSettings(events=0), tiny.start).eval()
    export_stem(network, tmp_path / "stem.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "stem.onnx", providers=["CPUExecutionProvider"])
    energies = torch.randn(1, 90, 80, generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        expected = IntegerStem(network.stem)(energies).numpy()
    (found,) = session.run(None, {"energies": energies.numpy()})
    # a number that lies between two steps may be rounded either way
    assert np.abs(found - expected).mean() < 0.01 * expected.std()


@pytest.mark.parametrize("frames", [1, 2, 5, 101])
def test_left_in_floats_any_number_of_frames_is_heard_as_the_network_hears_it(tiny: Tiny, frames: int) -> None:
    # fewer frames than a dilated kernel reaches, and one more than a segment
    network = fresh_network(NetworkSettings(events=0), tiny.start).eval()
    energies = torch.randn(1, 2 * frames, 80, generator=torch.Generator().manual_seed(4))
    with torch.no_grad():
        expected = network.stem(energies, torch.ones(1, frames), padded=False)
        found = IntegerStem(network.stem, exact=True)(energies)
    assert (found - expected).abs().max() < 1e-3
