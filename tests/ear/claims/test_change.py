"""Changes over time: held against the trajectory, and the course of pitch and loudness."""

import math

import pytest

from aptone.ear.claims.change import course
from aptone.ear.claims.verification import Claim, Verdict, check
from aptone.ear.describe import Pitch, Rate, Volume
from aptone.types import TYPICAL_VAD, Emotion, Perception, Tracks, Trajectory


def going(first: Emotion, second: Emotion) -> Perception:
    """Two seconds at the usual place of one emotion, two at that of another."""
    places = [TYPICAL_VAD[first]] * 20 + [TYPICAL_VAD[second]] * 20
    columns = (tuple(getattr(place, name) for place in places) for name in ("valence", "arousal", "dominance"))
    return Perception(seconds=4.0, trajectory=Trajectory(0.1, *columns))


def test_the_amount_is_the_way_between_the_usual_places() -> None:
    calm, angry = TYPICAL_VAD[Emotion.CALM], TYPICAL_VAD[Emotion.ANGRY]
    way = math.hypot(angry.valence - calm.valence, angry.arousal - calm.arousal)
    heard = going(Emotion.CALM, Emotion.ANGRY)
    assert course(heard, "emotion", Emotion.CALM, Emotion.ANGRY) == pytest.approx(way)
    assert course(heard, "emotion", Emotion.ANGRY, Emotion.CALM) == pytest.approx(-way)


def test_a_change_that_is_heard_is_true_and_its_reverse_and_a_steady_clip_are_not() -> None:
    change = Claim("emotion", Emotion.CALM, becomes=Emotion.ANGRY)
    assert check(change, going(Emotion.CALM, Emotion.ANGRY)).verdict is Verdict.TRUE
    assert check(change, going(Emotion.ANGRY, Emotion.CALM)).verdict is Verdict.FALSE
    assert check(change, going(Emotion.ANGRY, Emotion.ANGRY)).verdict is Verdict.FALSE
    denied = Claim("emotion", Emotion.CALM, is_denied=True, becomes=Emotion.ANGRY)
    assert check(denied, going(Emotion.ANGRY, Emotion.ANGRY)).verdict is Verdict.TRUE


def test_pitch_and_loudness_are_compared_by_halves() -> None:
    tracks = Tracks(0.01, (100.0,) * 50 + (200.0,) * 50, (-30.0,) * 50 + (-20.0,) * 50)
    heard = Perception(seconds=1.0, tracks=tracks)
    assert course(heard, "pitch", Pitch.MEDIUM, Pitch.HIGH) == pytest.approx(12.0)  # an octave
    assert course(heard, "volume", Volume.LOUD, Volume.SOFT) == pytest.approx(-10.0)


def test_what_has_no_course_is_undecided() -> None:
    heard = Perception(seconds=4.0)
    for claim in (
        Claim("rate", Rate.SLOW, becomes=Rate.FAST),
        Claim("emotion", Emotion.CALM, becomes=Emotion.ANGRY),
        Claim("pitch", Pitch.LOW, becomes=Pitch.HIGH),
    ):
        checked = check(claim, heard)
        assert checked.verdict is Verdict.UNDECIDED
        assert math.isnan(checked.support)
