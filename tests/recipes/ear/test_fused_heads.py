import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import torch
from torch import Tensor, nn

from recipes.ear.fused_heads import FusedHeads, Gathered
from recipes.ear.integers import applied
from recipes.ear.network import FIRST_WIDTH, STATISTICS, EarNetwork, NetworkSettings


def trained() -> EarNetwork:
    """A network whose norms have means, deviations and factors of their own, some of them negative or zero."""
    torch.manual_seed(1)
    network = EarNetwork(NetworkSettings(events=2)).eval()
    for module in network.modules():
        if isinstance(module, nn.BatchNorm1d) and module.affine:
            module.weight.data.uniform_(0.5, 1.5)
            module.bias.data.normal_()
            assert module.running_mean is not None
            assert module.running_var is not None
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
    return network


def difference(network: EarNetwork, frames: int) -> float:
    draw = torch.Generator().manual_seed(2)
    given, statistics = (torch.randn(1, *shape, generator=draw) for shape in ((frames, FIRST_WIDTH), (STATISTICS,)))
    speech = (torch.arange(frames) % 3 > 0).float()[None]
    with torch.no_grad():
        expected = network.hear(given, statistics, speech, torch.ones(1, frames), padded=False)
        found = FusedHeads(network)(given, statistics, speech)
    pairs: list[tuple[Tensor, Tensor]] = list(zip(found, expected[:-1], strict=True))
    assert all(one.shape == other.shape for one, other in pairs)
    return max(float((one - other).abs().max()) for one, other in pairs)


@pytest.mark.parametrize("frames", [2, 3, 5, 100, 101])
def test_any_number_of_frames_is_heard_as_the_network_hears_it(frames: int) -> None:
    # fewer frames than a dilated kernel reaches, and one more than a segment
    assert difference(trained(), frames) < 1e-3


def test_norms_may_turn_numbers_around_or_silence_them() -> None:
    network = trained()
    norm = network.second.layers[3].before_norm
    assert isinstance(norm, nn.BatchNorm1d)
    norm.weight.data[:100] *= -1.0
    norm.weight.data[7] = 0.0
    assert difference(network, 40) < 1e-3


def test_what_frames_give_to_their_neighbours_arrives_there() -> None:
    # three frames, two apart: the first 32 columns go two frames on, the last 32 two frames back
    given = torch.cat([torch.tensor([[1.0], [2.0], [3.0]]) * factor for factor in (1.0, 10.0, 100.0)], dim=1)
    found = applied(Gathered, given.repeat_interleave(32, dim=1), 2)
    assert found[:, 0].tolist() == [310.0, 20.0, 31.0]
    assert found.shape == (3, 32)
