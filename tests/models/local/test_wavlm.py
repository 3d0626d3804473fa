"""Frame features of a tiny WavLM with random weights."""

from pathlib import Path

import numpy as np
import pytest

from aptone.errors import AudioError, UsageError
from aptone.models.local.wavlm import STRETCH, LocalWavlm
from aptone.types import Audio
from tests.models.local_speech_models import save_wavlm

RATE = 16_000


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_wavlm(tmp_path_factory.mktemp("wavlm"))


def noise(seconds: float) -> Audio:
    samples = np.random.default_rng(0).normal(size=int(seconds * RATE)) * 0.1
    return Audio(samples.astype(np.float32), rate=RATE, source="noise")


def test_there_are_fifty_frames_a_second_each_with_its_time(checkpoint: Path) -> None:
    source = LocalWavlm(model=str(checkpoint), device="cpu")
    heard = source.frames(noise(1.0))
    assert heard.values.shape == (50, source.size) == (50, 16)
    # a frame sees 40 + 7 · 40 = 320 samples: the middle of the first is at 160 / 16000 s
    assert heard.times[0] == pytest.approx(0.01)
    assert np.diff(heard.times) == pytest.approx(0.02)


def test_a_long_recording_is_heard_in_stretches_of_equal_length(checkpoint: Path) -> None:
    source = LocalWavlm(model=str(checkpoint), device="cpu")
    audio = noise(1.2 * STRETCH)
    heard = source.frames(audio)
    half = audio.samples.size // 2
    assert heard.times[0] < heard.times[-1] < audio.seconds
    assert (np.diff(heard.times) > 0).all()
    # the second stretch was heard on its own: what comes before it changes nothing but the loudness of the whole
    louder = Audio(np.concatenate([audio.samples[half:], audio.samples[half:]]), rate=RATE, source="twice")
    twice = source.frames(louder)
    count = len(twice.values) // 2
    np.testing.assert_allclose(twice.values[:count], twice.values[count:], atol=1e-5)


def test_layers_differ_and_stand_in_the_signature(checkpoint: Path) -> None:
    last = LocalWavlm(model=str(checkpoint), device="cpu")
    second, first = (LocalWavlm(model=str(checkpoint), device="cpu", layer=layer) for layer in (2, 1))
    audio = noise(0.5)
    assert np.array_equal(last.frames(audio).values, second.frames(audio).values)
    assert not np.allclose(last.frames(audio).values, first.frames(audio).values)
    assert first.signature != last.signature
    with pytest.raises(UsageError, match="layers 0 to 2"):
        LocalWavlm(model=str(checkpoint), device="cpu", layer=7).frames(audio)
    with pytest.raises(UsageError, match="whole number"):
        LocalWavlm(layer="last")  # type: ignore[arg-type]


def test_what_is_shorter_than_a_frame_is_refused(checkpoint: Path) -> None:
    with pytest.raises(AudioError, match="shorter than one frame"):
        LocalWavlm(model=str(checkpoint), device="cpu").frames(noise(0.015))
