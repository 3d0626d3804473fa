"""All measures together, on a synthetic voice and on sounds that are none."""

import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures.contour import Contour
from aptone.ear.measures.pitch import track_pitch
from aptone.ear.measures.summary import measure
from aptone.errors import UsageError
from aptone.types import Segment
from tests.tables import for_each

RATE = 16_000
Samples = npt.NDArray[np.float32]
NAMES = [
    "pitch level",
    "pitch range",
    "pitch slope",
    "loudness",
    "loudness range",
    "speech rate",
    "articulation rate",
    "pause share",
    "pauses per minute",
    "longest pause",
    "jitter",
    "shimmer",
    "HNR",
    "spectral tilt",
    "high band",
    "voiced share",
]
WHOLE = (Segment(0.0, 2.0),)


def sentence(*, gain: float = 1.0) -> Samples:
    """Two seconds of a sawtooth that falls from 240 to 120 Hz, in eight syllables, the valleys 20 dB deep."""
    time = np.arange(2 * RATE) / RATE
    phase = 2.0 * np.pi * np.cumsum(np.geomspace(240.0, 120.0, time.size)) / RATE
    sound = sum(np.sin(number * phase) / number for number in range(1, 32))
    syllables = 0.55 - 0.45 * np.cos(2.0 * np.pi * 4.0 * time)
    return (0.2 * gain * np.asarray(sound) * syllables).astype(np.float32)


def test_a_sentence_measures_as_it_was_made() -> None:
    samples = sentence()
    found = measure(samples, track_pitch(samples), WHOLE)
    assert list(found) == NAMES
    assert found["pitch level"].value == pytest.approx(12.0 * math.log2(math.sqrt(2.4 * 1.2)), abs=0.3)  # the middle
    assert found["pitch range"].value == pytest.approx(10.8, abs=0.3)  # 90 % of an octave
    assert found["pitch slope"].value == pytest.approx(-6.0, abs=0.1)  # an octave in two seconds
    assert found["speech rate"].value == found["articulation rate"].value == 4.0  # 8 in 2 s
    # mean square of 0.2 * Σ sin(nx)/n is 0.04 * (π²/6 - 1/32) / 2 = 0.0323; of the syllables 0.55² + 0.45²/2 = 0.404
    assert found["loudness"].value == pytest.approx(10.0 * math.log10(0.0323 * 0.404), abs=0.2)
    assert found["spectral tilt"].value == pytest.approx(-6.0, abs=1.0)
    assert found["voiced share"].value > 0.95
    assert found["HNR"].value > 15.0
    assert found["jitter"].value < 1.0
    assert found["pause share"].value == found["longest pause"].value == found["pauses per minute"].value == 0.0


def test_a_pause_is_measured_and_what_happens_in_it_is_not() -> None:
    samples = np.concatenate([sentence(), sentence(gain=0.5)[::-1], sentence()])
    found = measure(samples, track_pitch(samples), (Segment(0.0, 2.0), Segment(4.0, 6.0)))
    assert found["pause share"].value == pytest.approx(1.0 / 3.0)
    assert found["longest pause"].value == 2.0
    assert found["pauses per minute"].value == 10.0  # one in 6 s
    assert found["speech rate"].value == pytest.approx(16.0 / 6.0)  # the 8 in the pause do not count
    assert found["articulation rate"].value == 4.0
    assert found["loudness"].value == pytest.approx(measure(*_whole(sentence()))["loudness"].value, abs=0.1)


def _whole(samples: Samples) -> tuple[Samples, Contour, tuple[Segment, ...]]:
    return samples, track_pitch(samples), (Segment(0.0, samples.size / RATE),)


def test_only_loudness_depends_on_the_level() -> None:
    loud, quiet = measure(*_whole(sentence())), measure(*_whole(sentence(gain=0.1)))
    assert loud["loudness"].value - quiet["loudness"].value == pytest.approx(20.0, abs=0.01)
    for name in NAMES:
        if name != "loudness":
            assert quiet[name].value == pytest.approx(loud[name].value, rel=1e-3, abs=1e-3), name


def test_without_speech_everything_is_undefined_and_says_why() -> None:
    samples = sentence()
    found = measure(samples, track_pitch(samples), ())
    assert list(found) == NAMES
    assert all(math.isnan(score.value) and score.reason for score in found.values())


SOUNDS = {
    "silence": np.zeros(RATE),
    "an offset": np.full(RATE, 0.5),
    "a click": np.eye(1, RATE, 8_000)[0],
    "noise": 0.1 * np.random.default_rng(0).standard_normal(RATE),
    "clipped": np.clip(20.0 * sentence()[:RATE], -1.0, 1.0),
    "0.2 s": sentence()[:3_200],
    "one frame": sentence()[:160],
    "less than a frame": sentence()[:100],
    "far above full scale": 1e30 * sentence()[:RATE].astype(np.float64),
    "hardly anything": 1e-30 * sentence()[:RATE].astype(np.float64),
    "one sample": np.ones(1),
}


@for_each("name", SOUNDS)
def test_odd_sounds_give_numbers_or_reasons_and_no_warning(name: str) -> None:
    samples = SOUNDS[name].astype(np.float32)
    found = measure(samples, track_pitch(samples), (Segment(0.0, 1.0),))
    assert list(found) == NAMES
    for score in found.values():
        assert math.isfinite(score.value) or score.reason
        assert score.higher_is_better is None


def test_what_is_far_above_full_scale_measures_the_same_but_for_its_level() -> None:
    loud, normal = measure(*_whole(sentence(gain=1e20))), measure(*_whole(sentence()))
    assert loud["loudness"].value - normal["loudness"].value == pytest.approx(400.0, abs=0.01)  # 20 log10(1e20)
    assert loud["jitter"].value == pytest.approx(normal["jitter"].value, rel=1e-2)
    assert loud["spectral tilt"].value == pytest.approx(normal["spectral tilt"].value, abs=0.01)


def test_a_contour_of_other_samples_is_refused() -> None:
    with pytest.raises(UsageError, match="track the pitch of the same samples"):
        measure(sentence(), track_pitch(sentence()[:RATE]), WHOLE)
