"""Speech with another pitch, melody or pace."""

import builtins
import sys

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.types import Audio
from recipes.claims.vocoder import (
    Parts,
    analyse,
    load_world,
    pitch,
    stretched,
    synthesise,
    transposed,
    with_melody,
)
from tests.recipes.claims.made_world import MadeWorld


def parts(*f0: float) -> Parts:
    count = len(f0)
    return Parts(np.array(f0), np.arange(2.0 * count).reshape(count, 2), np.zeros((count, 2)), 16_000)


def test_an_octave_up_doubles_the_pitch_and_leaves_silence_silent() -> None:
    assert transposed(parts(0.0, 100.0, 150.0), 12.0).f0.tolist() == [0.0, 200.0, 300.0]


def test_twice_the_melody_moves_twice_as_far_from_the_median() -> None:
    # 100, 200 and 400 Hz are 0, 12 and 24 semitones; the median stays at 12, the others go to -12 and 36
    assert with_melody(parts(0.0, 100.0, 200.0, 400.0), 2.0).f0 == pytest.approx([0.0, 50.0, 200.0, 800.0])
    assert with_melody(parts(0.0, 0.0), 2.0).f0.tolist() == [0.0, 0.0]


def test_a_clip_made_longer_repeats_its_frames_and_one_made_shorter_leaves_some_out() -> None:
    clip = parts(100.0, 200.0, 300.0, 400.0)
    assert stretched(clip, 2.0).f0.tolist() == [100.0, 100.0, 200.0, 200.0, 300.0, 300.0, 400.0, 400.0]
    assert stretched(clip, 0.5).f0.tolist() == [100.0, 300.0]
    assert stretched(clip, 0.5).envelope.tolist() == [[0.0, 1.0], [4.0, 5.0]]


def test_frames_stand_five_milliseconds_apart() -> None:
    assert parts(0.0, 0.0, 0.0).times == pytest.approx([0.0, 0.005, 0.01])


def test_a_clip_is_taken_apart_and_joined_at_its_own_length() -> None:
    audio = Audio(np.full(16_000, 0.1, dtype=np.float32), 16_000)
    world = MadeWorld(hertz=200.0)
    found = analyse(world, audio)
    assert np.median(found.semitones) == pytest.approx(12.0)  # an octave above 100 Hz
    assert pitch(world, audio).size == found.semitones.size
    joined = synthesise(world, found)
    assert joined.seconds == pytest.approx(1.0, abs=0.01)
    assert np.abs(joined.samples).max() == pytest.approx(0.1, rel=0.01)


def test_what_would_exceed_full_scale_becomes_softer() -> None:
    loud = Parts(np.full(100, 100.0), np.full((100, 3), 4.0), np.zeros((100, 3)), 16_000)
    assert np.abs(synthesise(MadeWorld(), loud).samples).max() == pytest.approx(1.0)


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyworld", None)
    with pytest.raises(UsageError, match=r'pip install pyworld "setuptools<81"'):
        load_world()


def test_the_package_is_given_where_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyworld", builtins)
    assert load_world() is builtins
