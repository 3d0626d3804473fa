"""Syllables, rates and pauses."""

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures.tempo import (
    articulation_rate,
    longest_pause,
    pause_share,
    pauses,
    pauses_per_minute,
    speech_rate,
    syllable_nuclei,
)
from aptone.types import Segment
from tests.tables import for_each

SPOKEN = (Segment(0.5, 1.5), Segment(2.0, 3.0), Segment(3.15, 4.5))  # a pause of 0.5 s; 0.15 s is none


def syllables(count: int, *, depth: float, frames: int = 20) -> npt.NDArray[np.float64]:
    """The level of so many syllables of 0.2 s each: a cosine, `depth` decibels deep between them."""
    time = np.arange(count * frames) / frames
    level: npt.NDArray[np.float64] = -20.0 - depth / 2.0 * (1.0 + np.cos(2.0 * np.pi * time))
    return level


def everywhere(levels: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    return np.ones(levels.size, dtype=np.bool_)


@for_each("count", [1, 2, 7, 300])
def test_every_syllable_has_one_nucleus_in_its_middle(count: int) -> None:
    levels = syllables(count, depth=10.0)
    nuclei = syllable_nuclei(levels, voiced=everywhere(levels), speech=everywhere(levels))
    assert nuclei.tolist() == [20 * number + 10 for number in range(count)]


@pytest.mark.parametrize(("depth", "expected"), [(1.9, 1), (2.1, 6)])
def test_two_decibels_part_two_syllables(depth: float, expected: int) -> None:
    levels = np.concatenate([[-60.0], syllables(6, depth=depth), [-60.0]])
    assert syllable_nuclei(levels, voiced=everywhere(levels), speech=everywhere(levels)).size == expected


def test_of_peaks_without_a_valley_between_them_the_highest_is_the_nucleus() -> None:
    levels = np.array([-60.0, -21.0, -22.0, -20.0, -21.0, -20.5, -60.0])
    assert syllable_nuclei(levels, voiced=everywhere(levels), speech=everywhere(levels)).tolist() == [3]


def test_a_shoulder_before_a_deep_valley_does_not_count_twice() -> None:
    # 1 dB up from a valley is no new syllable; the next one stands 10 dB above the lowest since
    levels = np.array([-60.0, -20.0, -35.0, -34.0, -38.0, -25.0, -60.0])
    assert syllable_nuclei(levels, voiced=everywhere(levels), speech=everywhere(levels)).tolist() == [1, 5]


def test_a_syllable_that_is_cut_off_counts() -> None:
    levels = np.array([-60.0, -20.0, -21.0])
    assert syllable_nuclei(levels, voiced=everywhere(levels), speech=everywhere(levels)).tolist() == [1]


def test_unvoiced_faint_and_unspoken_peaks_are_no_syllables() -> None:
    levels = np.concatenate([syllables(3, depth=10.0), syllables(1, depth=10.0) - 26.0, syllables(2, depth=10.0)])
    voiced, speech = everywhere(levels), everywhere(levels)
    voiced[20:40] = False  # a loud fricative
    speech[80:100] = False  # somebody drums
    assert syllable_nuclei(levels, voiced=voiced, speech=speech).tolist() == [10, 50, 110]


def test_without_speech_or_frames_there_are_no_syllables() -> None:
    levels = syllables(3, depth=10.0)
    nowhere = np.zeros(levels.size, dtype=np.bool_)
    assert syllable_nuclei(levels, voiced=everywhere(levels), speech=nowhere).size == 0
    assert syllable_nuclei(levels, voiced=nowhere, speech=everywhere(levels)).size == 0
    assert syllable_nuclei(levels[:0], voiced=nowhere[:0], speech=nowhere[:0]).size == 0
    assert syllable_nuclei(levels[:1], voiced=~nowhere[:1], speech=~nowhere[:1]).size == 0


def test_pauses_count_in_the_speech_rate_and_not_in_the_articulation_rate() -> None:
    assert speech_rate(12, speech=SPOKEN).value == 3.0  # 12 syllables in the 4 s from 0.5 to 4.5
    assert articulation_rate(12, speech=SPOKEN).value == pytest.approx(12 / 3.35)  # 1 + 1 + 1.35 s


def test_pauses_are_counted_from_the_first_word_to_the_last() -> None:
    assert pauses(SPOKEN) == (0.5,)
    assert pause_share(SPOKEN).value == 0.125  # 0.5 of 4 s
    assert pauses_per_minute(SPOKEN).value == 15.0  # one in 4 s
    assert longest_pause(SPOKEN).value == 0.5


def test_speech_without_a_pause_has_a_longest_pause_of_zero() -> None:
    assert longest_pause(SPOKEN[:1]).value == 0.0
    assert pause_share(SPOKEN[:1]).value == 0.0


def test_without_speech_nothing_is_defined() -> None:
    scores = (
        speech_rate(0, speech=()),
        articulation_rate(0, speech=()),
        pause_share(()),
        pauses_per_minute(()),
        longest_pause(()),
    )
    assert [score.reason for score in scores] == ["no speech found"] * 5


def test_whispering_has_no_rate_rather_than_the_rate_zero() -> None:
    assert speech_rate(0, speech=SPOKEN).reason == "speech without a voiced syllable"
    assert articulation_rate(0, speech=SPOKEN).reason == "speech without a voiced syllable"
