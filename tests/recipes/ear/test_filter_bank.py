import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import numpy as np
import torch

from aptone.ear.network import inference as network
from aptone.ear.network.filter_bank import (
    BANDS,
    FFT,
    RATE,
    bands,
    bank_count,
    centred,
    frame_count,
    log_energies,
    statistics,
)
from recipes.ear.filter_bank import LEVEL, WARP_END, WARPS, filter_bank, speech_level, warped_bands
from tests.recipes.ear.tiny_corpus import buzz


def test_the_filter_bank_of_a_batch_is_that_of_every_clip_alone() -> None:
    long, short = buzz(1.0, hertz=120.0, seed=1), buzz(0.6, hertz=210.0, seed=2)
    wave = np.zeros((2, long.size), dtype=np.float32)
    wave[0], wave[1, : short.size] = long, short
    frames = frame_count(long.size)
    present, speech = np.ones((2, frames), dtype=np.float32), np.zeros((2, frames), dtype=np.float32)
    present[1, frame_count(short.size) :] = 0
    speech[0, 5:30] = 1  # the second has no speech: all of it is centred on its own mean
    energies, numbers = filter_bank(*(torch.from_numpy(each) for each in (wave, speech, present)))
    for row, samples in enumerate((long, short)):
        logs = log_energies(samples.astype(np.float32))
        flags = np.repeat(speech[row] > 0, 2)[: len(logs)]
        assert len(logs) == bank_count(samples.size)
        off = np.abs(energies[row, : len(logs)].numpy() - centred(logs, flags))
        assert off.mean() < 1e-5
        assert off.max() < 1e-3  # faint bands lose digits in 32 bits, more or fewer of them by processor
        assert np.abs(numbers[row].numpy() - statistics(logs, flags)).max() < 1e-4
    assert float(energies[1, len(log_energies(short.astype(np.float32))) + 1 :].abs().max()) == 0.0


def test_speech_is_brought_to_the_level_that_the_shipped_ear_brings_it_to() -> None:
    assert LEVEL == network.LEVEL


def test_the_level_is_that_of_the_speech_or_of_everything_where_there_is_none() -> None:
    wave = torch.cat([torch.full((2, 3200), 0.1), torch.full((2, 3200), 0.4)], dim=1)
    present = torch.ones(2, 20)  # frames of 320 samples
    speech = torch.zeros(2, 20)
    speech[0, :10] = 1
    # half 0.1 and half 0.4: the root of (0.01 + 0.16) / 2
    assert speech_level(wave, speech, present).tolist() == pytest.approx([0.1, (0.17 / 2) ** 0.5], rel=1e-5)


def test_silence_has_a_level_that_one_can_divide_by() -> None:
    assert float(speech_level(torch.zeros(1, 640), torch.ones(1, 2), torch.ones(1, 2))) > 0


def test_the_middle_of_the_warped_filter_banks_is_the_plain_one() -> None:
    warped = warped_bands(0.16)
    assert warped.shape == (WARPS, FFT // 2 + 1, BANDS)
    assert torch.equal(warped[WARPS // 2], torch.from_numpy(bands()))
    wave, frames = torch.from_numpy(buzz(0.5, hertz=150.0, seed=3).astype(np.float32))[None], frame_count(RATE // 2)
    ones = torch.ones(1, frames)
    plain = filter_bank(wave, ones, ones)
    middle = filter_bank(wave, ones, ones, warp=torch.tensor([WARPS // 2]), largest_warp=0.16)
    for one, other in zip(plain, middle, strict=True):
        assert torch.allclose(one, other, atol=1e-4)


@pytest.mark.parametrize(("place", "factor"), [(0, 0.8), (WARPS // 2 + 5, 1.1), (WARPS - 1, 1.2)])
def test_a_tone_is_heard_where_a_tone_of_its_frequency_times_the_factor_would_be(place: int, factor: float) -> None:
    # 1 - 0.2 … 1 + 0.2 in 20 steps of 0.02; 100 lines of 31.25 Hz are 3125 Hz, below the turn at every factor
    line = 100
    assert line < WARP_END * (FFT // 2) / 1.2
    expected = torch.from_numpy(bands())[round(line * factor)]
    assert torch.allclose(warped_bands(0.2)[place, line], expected, atol=1e-6)
    assert not torch.equal(expected, torch.from_numpy(bands())[line])


@pytest.mark.parametrize("place", [0, WARPS - 1])
def test_the_end_of_the_band_stays_where_it_is_and_no_line_passes_it(place: int) -> None:
    plain, warped = torch.from_numpy(bands()).double(), warped_bands(0.2)[place].double()
    assert torch.equal(warped[0], plain[0])
    assert torch.allclose(warped[-1], plain[-1])
    # the place of a line among the bands rises with the line, up to the end
    centres = torch.arange(BANDS).double()
    heard = [float(row @ centres / row.sum()) for row in warped[10:-1] if float(row.sum()) > 0]
    assert heard == sorted(heard)


def test_rows_of_a_batch_are_warped_each_by_its_own_factor() -> None:
    wave = torch.from_numpy(np.stack([buzz(0.5, hertz=150.0, seed=3)] * 2).astype(np.float32))
    ones = torch.ones(2, frame_count(RATE // 2))
    both, _ = filter_bank(wave, ones, ones, warp=torch.tensor([0, WARPS - 1]), largest_warp=0.2)
    for row, place in enumerate((0, WARPS - 1)):
        alone, _ = filter_bank(wave[:1], ones[:1], ones[:1], warp=torch.tensor([place]), largest_warp=0.2)
        assert torch.allclose(both[row], alone[0], atol=1e-4)
    assert not torch.allclose(both[0], both[1], atol=0.1)
