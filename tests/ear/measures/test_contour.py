"""What is measured on a pitch contour."""

import numpy as np
import pytest

from aptone.ear.measures.contour import Contour, pitch_level, pitch_range, pitch_slope, semitones, voiced_share
from tests.tables import for_each


def test_a_contour_stands_in_the_middle_of_its_steps() -> None:
    contour = Contour(step=0.01, hz=np.array([np.nan, 100.0, 110.0]), strength=np.ones(3))
    assert contour.times == pytest.approx([0.005, 0.015, 0.025])
    assert contour.voiced.tolist() == [False, True, True]


@for_each(("step", "strengths"), [(0.0, 3), (-0.01, 3), (0.01, 2)])
def test_a_contour_that_does_not_fit_together_is_refused(step: float, strengths: int) -> None:
    with pytest.raises(ValueError, match=r"expected one strength|positive number"):
        Contour(step=step, hz=np.ones(3), strength=np.ones(strengths))


def test_the_level_is_the_median_so_that_one_mistaken_octave_does_not_count() -> None:
    hz = np.array([110.0] * 10 + [220.0] * 4 + [np.nan] * 30)
    assert pitch_level(hz).value == pytest.approx(12.0 * np.log2(1.1))  # 1.65 semitones above 100 Hz


def test_the_range_runs_from_the_5th_to_the_95th_percentile() -> None:
    hz = 100.0 * 2.0 ** (np.arange(101) / 100.0)  # 0 to 12 semitones evenly: 0.6 and 11.4
    assert pitch_range(hz).value == pytest.approx(10.8)


@pytest.mark.parametrize("frames", [50, 1000])
def test_the_slope_is_not_moved_by_mistaken_octaves(frames: int) -> None:
    rise = np.linspace(0.0, 0.06 * (frames - 1), frames)  # 6 semitones a second
    hz = 50.0 * 2.0 ** (rise / 12.0)
    hz[7::10] *= 2.0  # every tenth frame an octave too high
    hz[3::10] = np.nan
    assert pitch_slope(hz).value == pytest.approx(6.0, abs=0.2)


def test_gaps_take_time() -> None:
    hz = np.full(301, np.nan)
    hz[:50] = 100.0 * 2.0 ** (np.arange(50) * 0.01 / 12.0)
    hz[251:] = 100.0 * 2.0 ** (np.arange(251, 301) * 0.01 / 12.0)  # one line of one semitone a second, 2 s cut out
    assert pitch_slope(hz).value == pytest.approx(1.0)


@for_each("measured", [pitch_level, pitch_range, pitch_slope])
def test_too_little_voice_is_undefined(measured: object) -> None:
    assert callable(measured)
    score = measured(np.array([100.0] * 9 + [np.nan] * 50))
    assert np.isnan(score.value)
    assert score.reason == "9 voiced frames, need 10"


def test_the_voiced_share_counts_frames_of_speech_only() -> None:
    speech = np.array([True] * 4 + [False] * 6)
    hz = np.array([100.0, 100.0, 100.0, np.nan] + [100.0] * 6)
    assert voiced_share(hz, speech=speech).value == 0.75
    nothing = voiced_share(hz, speech=np.zeros(10, dtype=bool))
    assert np.isnan(nothing.value)
    assert nothing.reason == "no speech found"


def test_unvoiced_frames_have_no_semitones() -> None:
    assert np.isnan(semitones(np.array([np.nan, 100.0]))).tolist() == [True, False]
