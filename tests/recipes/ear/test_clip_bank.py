import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'aptone[train]'")

from pathlib import Path

import numpy as np
import soundfile

from aptone.errors import RecordError
from recipes.ear.clip_bank import HOP, load_bank
from tests.tables import for_each


def test_clips_lie_behind_one_another_each_from_a_multiple_of_the_hop(tmp_path: Path) -> None:
    paths = [tmp_path / "a.wav", tmp_path / "b.wav"]
    soundfile.write(paths[0], np.full(1000, 0.25), 16_000)
    soundfile.write(paths[1], np.full(640, -0.5), 16_000)
    bank = load_bank(paths, [[(0.02, 0.04)], ()], workers=2)
    # 1000 samples take 4 hops of 320 and one more to be safe
    assert bank.start.tolist() == [0, 5 * HOP]
    assert bank.length.tolist() == [1000, 640]
    assert bank.samples[[0, 999, 1000, 5 * HOP]].tolist() == [0.25, 0.25, 0.0, -0.5]
    assert bank.speech.tolist() == [0, 1, 0, 0, 0, 0, 0, 0]
    assert (bank.first.tolist(), bank.last.tolist()) == ([320, 0], [640, 640])


def test_without_marks_what_is_loud_is_active(tmp_path: Path) -> None:
    wave = np.zeros(3200)
    wave[1280:1920] = 0.5  # hops 4 and 5; smoothing over three hops adds one on either side
    soundfile.write(tmp_path / "a.wav", wave, 16_000)
    bank = load_bank([tmp_path / "a.wav"], [None], workers=1)
    assert np.flatnonzero(bank.speech.numpy()).tolist() == [3, 4, 5, 6]


@for_each("size", [1, 320, 700])
def test_silence_and_a_blink_have_nothing_active(tmp_path: Path, size: int) -> None:
    soundfile.write(tmp_path / "a.wav", np.zeros(size), 16_000)
    bank = load_bank([tmp_path / "a.wav"], [None], workers=1)
    assert int(bank.speech.sum()) == 0
    assert (bank.first.tolist(), bank.last.tolist()) == ([0], [size])


def test_nothing_makes_an_empty_bank() -> None:
    assert len(load_bank([], [], workers=1).start) == 0


def test_what_cannot_be_trained_on_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with pytest.raises(RecordError, match="cannot be read"):
        load_bank([path], [()], workers=1)
    soundfile.write(path, np.zeros(100), 8000)
    with pytest.raises(RecordError, match="has 8000 Hz, the ear is trained on 16000 Hz"):
        load_bank([path], [()], workers=1)
    soundfile.write(path, np.zeros((100, 2)), 16_000)
    with pytest.raises(RecordError, match=r"expected one channel with samples, got shape \(100, 2\)"):
        load_bank([path], [()], workers=1)
