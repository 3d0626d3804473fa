import pytest

pytest.importorskip("torch", reason="the network needs torch: pip install 'aptone[train]'")

from typing import NamedTuple

import torch
from torch import Tensor

from aptone.ear.network.filter_bank import frame_count
from recipes.ear.network import EMOTIONS, STATISTICS, EarNetwork, NetworkSettings, from_campplus
from tests.recipes.ear.tiny_corpus import campplus


@pytest.fixture(scope="module")
def network() -> EarNetwork:
    torch.set_num_threads(1)
    torch.manual_seed(3)
    built = EarNetwork(NetworkSettings(events=3))
    built.load_state_dict(from_campplus(campplus()), strict=False)
    return built.eval()


def test_the_names_of_campplus_fill_the_whole_trunk_and_nothing_else() -> None:
    network = EarNetwork(NetworkSettings())
    missing, unexpected = network.load_state_dict(from_campplus(campplus()), strict=False)
    assert unexpected == []
    trunk = [name for name in missing if name.startswith(("stem", "second")) and "num_batches" not in name]
    assert trunk == []


def test_what_is_not_used_of_campplus_is_left_out() -> None:
    names = [
        "xvector.block3.tdnnd1.linear1.weight",
        "head.layer3.0.conv1.weight",
        "head.bn1.num_batches_tracked",
        "odd",
    ]
    assert from_campplus({name: torch.ones(1) for name in names}) == {}


# 2.6 s and 1.3 s: the longer one crosses the border of a segment of 2 s
LONG, SHORT = 258, 128
FRAMES = (129, 64)


class Pair(NamedTuple):
    """Two clips in one batch, the second with padding behind it."""

    energies: Tensor
    statistics: Tensor
    speech: Tensor
    present: Tensor


@pytest.fixture(scope="module")
def pair() -> Pair:
    draw = torch.Generator().manual_seed(1)
    present = torch.ones(2, FRAMES[0])
    present[1, FRAMES[1] :] = 0
    return Pair(
        energies=torch.randn(2, LONG, 80, generator=draw),
        statistics=torch.randn(2, STATISTICS, generator=draw),
        speech=(torch.rand(2, FRAMES[0], generator=draw) < 0.7).float() * present,
        present=present,
    )


def test_behind_the_stem_a_clip_is_heard_the_same_alone_and_padded(network: EarNetwork, pair: Pair) -> None:
    frames = torch.randn(2, FRAMES[0], 256, generator=torch.Generator().manual_seed(4))
    with torch.no_grad():
        both = network.hear(frames, pair.statistics, pair.speech, pair.present)
        for row, count in enumerate(FRAMES):
            one = slice(row, row + 1)
            alone = network.hear(
                frames[one, :count], pair.statistics[one], pair.speech[one, :count], torch.ones(1, count)
            )
            for name in both._fields:
                batched = getattr(both, name)[row]
                batched = batched[:count] if name.startswith("frame_") else batched
                assert torch.allclose(batched, getattr(alone, name)[0], atol=1e-4), name


def test_padding_reaches_the_stem_only_through_the_edge_of_a_clip(network: EarNetwork, pair: Pair) -> None:
    with torch.no_grad():
        both = network.stem(pair.energies, pair.present)
        alone = network.stem(pair.energies[1:, :SHORT], torch.ones(1, FRAMES[1]))
        longest = network.stem(pair.energies[:1], torch.ones(1, FRAMES[0]))
    assert torch.allclose(both[:1], longest, atol=1e-4)
    # ten convolutions of three frames and one of five, at half the rate: 6 frames; what is left comes by the summaries
    apart = (both[1, : FRAMES[1]] - alone[0]).abs().amax(dim=1) / alone.abs().max()
    assert float(apart[:-7].max()) < 0.02
    assert float(apart[:-7].mean()) < float(apart[-7:].mean())


def test_without_padding_the_short_way_gives_the_same(network: EarNetwork) -> None:
    frames, speech = torch.randn(1, 30, 256, generator=torch.Generator().manual_seed(2)), torch.ones(1, 30)
    with torch.no_grad():
        padded = network.hear(frames, torch.zeros(1, STATISTICS), speech, speech)
        plain = network.hear(frames, torch.zeros(1, STATISTICS), speech, speech, padded=False)
    assert torch.allclose(padded.emotion, plain.emotion, atol=1e-5)


def test_every_answer_has_its_shape(network: EarNetwork) -> None:
    count = frame_count(8000)  # (8000 - 400) // 160 + 1 = 48 filter-bank frames, 24 of the network
    with torch.no_grad():
        heard = network(torch.zeros(2, 48, 80), torch.zeros(2, STATISTICS), torch.ones(2, count), torch.ones(2, count))
    assert heard.emotion.shape == (2, EMOTIONS)
    assert (heard.vad.shape, heard.condition.shape) == ((2, 3), (2, 5))
    assert {heard.intensity.shape, heard.sex.shape, heard.adult.shape, heard.music.shape} == {(2,)}
    assert (heard.frame_vad.shape, heard.frame_events.shape) == ((2, 24, 3), (2, 24, 3))
    assert heard.hidden.shape == (2, 3 * 128)
    assert float(heard.vad.abs().max()) <= 1


def test_a_clip_without_speech_is_heard_without_nan(network: EarNetwork) -> None:
    with torch.no_grad():
        heard = network(torch.zeros(1, 20, 80), torch.zeros(1, STATISTICS), torch.zeros(1, 10), torch.ones(1, 10))
    assert all(torch.isfinite(value).all() for value in heard)
