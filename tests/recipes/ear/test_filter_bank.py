import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

import numpy as np
import torch

from aptone.ear.network import inference as network
from aptone.ear.network.filter_bank import bank_count, centred, frame_count, log_energies, statistics
from recipes.ear.filter_bank import LEVEL, filter_bank, speech_level
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
