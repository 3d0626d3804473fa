"""What an ear heard: the share of speech, and that nothing judged means nothing claimed."""

import math

from aptone.types import Perception


def test_speech_coverage_is_the_share_of_the_clip_that_is_speech() -> None:
    assert Perception(4.0, speech_seconds=3.0).speech_coverage == 0.75  # 3 / 4
    assert Perception(4.0, speech_seconds=0.0).speech_coverage == 0.0


def test_speech_coverage_is_nan_when_it_was_not_measured_or_there_is_no_clip() -> None:
    assert math.isnan(Perception(4.0).speech_coverage)
    assert math.isnan(Perception(0.0, speech_seconds=0.0).speech_coverage)
    assert math.isnan(Perception(math.nan, speech_seconds=1.0).speech_coverage)


def test_an_ear_that_judged_nothing_claims_nothing() -> None:
    silent = Perception(1.0)
    assert (silent.emotion, silent.rhythm, silent.intonation, silent.recording_condition) == ({}, {}, {}, {})
    assert (silent.sex, silent.age, silent.vad, silent.trajectory, silent.events) == ({}, {}, None, None, ())
    assert all(math.isnan(number) for number in (silent.intensity, silent.music, silent.naturalness))
