import numpy as np
import pytest

from aptone.ear.network.events import sound_events, sound_peaks

THRESHOLDS = {"laughing": 0.1, "rain": 0.2}


def likely(**stretches: tuple[int, int, float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """100 frames of 20 ms, with a probability between two frames for each event named."""
    numbers = np.zeros((100, len(THRESHOLDS)))
    for column, name in enumerate(THRESHOLDS):
        if name in stretches:
            first, behind, probability = stretches[name]
            numbers[first:behind, column] = probability
    return numbers


def test_an_event_has_the_times_of_its_frames_and_its_highest_probability() -> None:
    (event,) = sound_events(likely(laughing=(20, 40, 0.3)), THRESHOLDS)
    assert (event.name, event.confidence) == ("laughing", 0.3)
    assert event.end - event.start == pytest.approx(0.4, abs=0.002)  # 20 frames of 20 ms
    assert event.start == pytest.approx(0.4, abs=0.03)


def test_what_stays_below_its_threshold_or_is_too_short_is_no_event() -> None:
    assert sound_events(likely(laughing=(20, 40, 0.09)), THRESHOLDS) == ()
    assert sound_events(likely(laughing=(20, 27, 0.3)), THRESHOLDS) == ()  # 0.14 s
    assert len(sound_events(likely(laughing=(20, 28, 0.3)), THRESHOLDS)) == 1  # 0.16 s


def test_of_several_at_a_time_the_one_that_exceeds_its_threshold_most_is_meant() -> None:
    # rain is likelier, but laughing three times its threshold and rain only twice
    events = sound_events(likely(laughing=(20, 60, 0.3), rain=(20, 60, 0.4)), THRESHOLDS)
    assert [event.name for event in events] == ["laughing"]


def test_a_short_gap_joins_and_a_long_one_parts() -> None:
    near, far = likely(laughing=(10, 30, 0.3)), likely(laughing=(10, 30, 0.3))
    near[40:60, 0], far[45:65, 0] = 0.3, 0.3  # gaps of 0.2 s and 0.3 s
    assert [len(sound_events(numbers, THRESHOLDS)) for numbers in (near, far)] == [1, 2]


def test_an_ear_without_sounds_reports_none() -> None:
    assert sound_events(np.zeros((50, 0)), {}) == ()


def test_the_most_that_a_sound_is_heard_is_a_mean_over_seven_frames() -> None:
    # a click of one frame counts a seventh, a laugh of ten frames counts in full
    peaks = sound_peaks(likely(laughing=(20, 30, 0.35), rain=(40, 41, 0.7)), THRESHOLDS)
    assert peaks == pytest.approx({"laughing": 0.35, "rain": 0.1})
    assert sound_peaks(np.zeros((0, 2)), THRESHOLDS) == {}
