"""The learned part of the ear: what it says must depend on the clip alone."""

import dataclasses
import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import find_speech, read
from aptone.ear.network.filter_bank import RATE, frame_count
from aptone.ear.network.inference import (
    EARS,
    FRAME_NUMBERS,
    WINDOW_SECONDS,
    Listening,
    Network,
    Window,
    _around_the_whole,
    frame_flags,
    frame_times,
    load_network,
    sound_events,
    sound_peaks,
)
from aptone.errors import UsageError
from aptone.stats.logits import sigmoid, softmax
from tests.tables import for_each

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
Floats = npt.NDArray[np.float32]
Flags = npt.NDArray[np.bool_]


@pytest.fixture(scope="module", params=EARS)
def network(request: pytest.FixtureRequest) -> Network:
    return load_network(request.param)


def clip(name: str) -> Floats:
    return read(CLIPS / f"{name}.opus", rate=RATE).samples


def all_speech(samples: Floats) -> Flags:
    return np.ones(frame_count(samples.size), dtype=np.bool_)


def found_speech(name: str) -> Flags:
    audio = read(CLIPS / f"{name}.opus", rate=RATE)
    return frame_flags(audio.samples.size, [(span.start, span.end) for span in find_speech(audio)])


def story(seconds: float) -> Floats:
    """As much of the example's clips, one after the other, again and again."""
    return np.resize(
        np.concatenate([clip(name) for name in ("wall-apt", "keeper-flat", "sleep-apt")]), round(seconds * RATE)
    )


def assert_close(one: Listening, other: Listening, *, within: float) -> None:
    for field in dataclasses.fields(Listening):
        found, expected = getattr(one, field.name), getattr(other, field.name)
        assert found == pytest.approx(expected, abs=within, nan_ok=True), field.name


@pytest.mark.slow
def test_a_clip_is_heard_the_same_whatever_was_heard_before(network: Network) -> None:
    names = ("keeper-apt", "wall-wrong", "sleep-zh-flat")
    first = [network.listen(clip(name), found_speech(name)) for name in names]
    network.listen(story(13.0), all_speech(story(13.0)))
    again = [network.listen(clip(name), found_speech(name)) for name in reversed(names)]
    for one, other in zip(first, reversed(again), strict=True):
        assert_close(one, other, within=0.0)


def test_probabilities_and_values_keep_within_their_ranges(network: Network) -> None:
    heard = network.listen(clip("keeper-apt"), found_speech("keeper-apt"))
    meaning = network.meaning
    assert heard.emotion.shape == (len(meaning.emotions),)
    assert heard.condition.shape == (len(meaning.conditions),)
    for distribution in (heard.emotion, heard.condition):
        assert float(distribution.sum()) == pytest.approx(1.0, abs=1e-5)
        assert float(distribution.min()) >= 0.0
    assert heard.vad.shape == (3,)
    assert float(np.abs(heard.vad).max()) <= 1.0
    for probability in (heard.female, heard.adult, heard.music):
        assert 0.0 <= probability <= 1.0
    assert 0.0 <= heard.intensity <= 1.0 or "intensity" not in meaning.temperatures
    assert math.isnan(heard.intensity) != ("intensity" in meaning.temperatures)
    frames = frame_count(clip("keeper-apt").size)
    assert heard.frame_vad.shape == (frames, 3)
    assert float(np.abs(heard.frame_vad).max()) <= 1.0
    assert heard.frame_events.shape == (frames, len(meaning.events))
    assert heard.frame_events.size == 0 or 0.0 <= heard.frame_events.min() <= heard.frame_events.max() <= 1.0
    assert math.isnan(heard.naturalness) != bool(meaning.naturalness)


@pytest.mark.parametrize("gain", [0.1, 0.001, 30.0])
def test_the_level_of_a_clip_changes_no_more_than_rounding_does(network: Network, gain: float) -> None:
    # Another level is another last digit of every energy. The stem rounds to 256 steps, so that some become another
    # step: this is also how much its rounding of numbers, apart from that of weights, can change at all.
    samples, speech = clip("wall-apt"), found_speech("wall-apt")
    one, other = network.listen(samples * np.float32(gain), speech), network.listen(samples, speech)
    for name in ("emotion", "vad", "intensity", "female", "adult", "condition", "music", "frame_events"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=0.02, nan_ok=True), name
    assert one.frame_vad == pytest.approx(other.frame_vad, abs=0.05)


@pytest.mark.slow
def test_a_long_clip_is_the_mean_of_its_windows_weighted_by_the_speech_in_them(network: Network) -> None:
    # 30 s hold 1,499 frames, three windows of at most 599: cut at 499.7 and 999.3, that is at 500 and 999.
    samples = story(30.0)
    speech = np.zeros(frame_count(samples.size), dtype=np.bool_)
    assert speech.size == 1_499
    speech[100:300] = True  # 200 frames in the first window
    speech[600:900] = True  # 300 in the second, none in the third
    heard = network.listen(samples, speech)
    cuts = ((0, 500), (500, 999), (999, 1_499))
    # n frames need 2 n filter-bank frames: (2 n - 1) · 160 + 400 samples
    alone = [
        network.listen(
            samples[first * 320 : first * 320 + (2 * (behind - first) - 1) * 160 + 400], speech[first:behind]
        )
        for first, behind in cuts
    ]
    for name in ("emotion", "vad", "intensity", "female", "adult"):
        expected = 0.4 * getattr(alone[0], name) + 0.6 * getattr(alone[1], name)
        assert getattr(heard, name) == pytest.approx(expected, abs=1e-5, nan_ok=True), name
    for name in ("condition", "music"):
        parts = [getattr(part, name) for part in alone]
        expected = (500 * parts[0] + 499 * parts[1] + 500 * parts[2]) / 1_499
        assert getattr(heard, name) == pytest.approx(expected, abs=1e-5), name
    assert np.array_equal(heard.frame_vad, np.concatenate([part.frame_vad for part in alone]))
    assert np.array_equal(heard.frame_events, np.concatenate([part.frame_events for part in alone]))


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [WINDOW_SECONDS, WINDOW_SECONDS + 0.01, WINDOW_SECONDS + 0.02, 24.5])
def test_around_the_length_of_a_window_every_frame_is_heard_once(network: Network, seconds: float) -> None:
    samples = story(seconds)
    heard = network.listen(samples, all_speech(samples))
    assert len(heard.frame_vad) == len(heard.frame_events) == frame_count(samples.size)
    assert np.isfinite(heard.frame_vad).all()


def test_the_numbers_of_a_frame_end_with_its_own_feeling_and_that_of_its_window(network: Network) -> None:
    samples = story(WINDOW_SECONDS + 1.0)  # two windows
    flags = all_speech(samples)
    frames, heard = network.frames(samples, flags), network.listen(samples, flags)
    assert frames.shape == (flags.size, FRAME_NUMBERS)
    around = frames[:, -3:]
    assert len(np.unique(around, axis=0)) == 2
    # the trajectory is the frames' own, moved so that its mean is what the window says
    first = (around == around[0]).all(axis=1)
    moved = frames[first, -6:-3] + around[0] - frames[first, -6:-3].mean(axis=0)
    assert heard.frame_vad[first] == pytest.approx(np.clip(moved, -1.0, 1.0), abs=1e-5)


def test_a_hundredth_of_a_second_beyond_a_window_changes_little(network: Network) -> None:
    # 12 s are one window and 12.01 s two: none of them a sliver, whose own answer would count
    shorter, longer = story(WINDOW_SECONDS), story(WINDOW_SECONDS + 0.01)
    one, other = network.listen(shorter, all_speech(shorter)), network.listen(longer, all_speech(longer))
    assert other.vad == pytest.approx(one.vad, abs=0.25)
    assert other.frame_vad[-1] == pytest.approx(one.frame_vad[-1], abs=0.25)


@pytest.mark.parametrize("size", [1, 2, 399, 400, 559, 560, 720, 721])
def test_a_few_samples_are_heard_without_a_complaint(network: Network, size: int) -> None:
    samples = clip("keeper-apt")[16_000 : 16_000 + size]
    heard = network.listen(samples, all_speech(samples))
    assert len(heard.frame_vad) == frame_count(size)
    assert np.isfinite(heard.emotion).all()


@pytest.mark.parametrize("value", [0.0, 0.5, -1.0])
def test_a_constant_is_heard_without_a_complaint(network: Network, value: float) -> None:
    samples = np.full(RATE, value, dtype=np.float32)
    assert np.isfinite(network.listen(samples, all_speech(samples)).emotion).all()


def test_without_speech_what_concerns_speech_is_undefined_and_the_rest_is_not(network: Network) -> None:
    samples = clip("keeper-apt")
    heard = network.listen(samples, ~all_speech(samples))
    for undefined in (heard.emotion, heard.vad, heard.intensity, heard.female, heard.adult, heard.naturalness):
        assert np.isnan(undefined).all()
    assert float(heard.condition.sum()) == pytest.approx(1.0, abs=1e-5)
    assert 0.0 <= heard.music <= 1.0
    assert np.isfinite(heard.frame_events).all()
    assert np.isfinite(heard.hidden).all()


def test_the_metadata_says_what_the_numbers_mean(network: Network) -> None:
    meaning = network.meaning
    assert meaning.name in EARS
    assert meaning.revision
    assert meaning.licence
    for names in (meaning.emotions, meaning.conditions, tuple(meaning.events)):
        assert len(set(names)) == len(names)
    assert {"neutral", "happy", "sad", "angry"} <= set(meaning.emotions)
    assert set(meaning.conditions) == {"normal", "phone", "far-field", "intermittent", "noisy"}
    assert all(0.0 < threshold < 1.0 for threshold in meaning.events.values())
    # only RAVDESS says how strongly somebody acts, and it is not free for any use
    trained = {"intensity"} if meaning.name == "full" else set()
    assert set(meaning.temperatures) == {"emotion", "sex", "adult", "condition", "music", "events"} | trained
    assert {"laughing", "crying", "sighing", "gasping"} <= set(meaning.events)
    assert len(meaning.prosody["bias"]) == len(meaning.emotions) + 1
    assert meaning.natural_measures["pause share"][1] < 0.0  # pauses make read speech less natural
    assert all(temperature > 0.0 for temperature in meaning.temperatures.values())


def test_naturalness_has_a_weight_for_every_hidden_number_and_one_more(network: Network) -> None:
    samples = clip("keeper-apt")
    hidden = network.listen(samples, all_speech(samples)).hidden
    assert len(network.meaning.naturalness) in (0, hidden.size + 1)


def test_a_network_is_loaded_once(network: Network) -> None:
    assert load_network(network.meaning.name) is network


def test_the_two_ears_differ_and_so_do_their_licences() -> None:
    full, permissive = (load_network(name) for name in EARS)
    assert (full.meaning.name, permissive.meaning.name) == EARS
    assert full.meaning.revision != permissive.meaning.revision
    assert "NC" in full.meaning.licence
    assert "NC" not in permissive.meaning.licence
    samples = clip("keeper-apt")
    one, other = (ear.listen(samples, all_speech(samples)) for ear in (full, permissive))
    assert float(np.abs(one.vad - other.vad).max()) > 1e-3


@for_each("name", ["", "Full", "stem", "../full"])
def test_an_unknown_ear_is_refused_and_the_known_ones_are_named(name: str) -> None:
    with pytest.raises(UsageError, match=r"there is no ear '.*'; choose one of full, permissive\."):
        load_network(name)


def test_frames_are_flagged_when_their_middle_lies_in_a_span() -> None:
    # middles at 0.0125, 0.0325, 0.0525, 0.0725, 0.0925 s; 0.1 s has (1,600 - 400) / 160 + 1 = 8 bank frames, 4 of these
    assert frame_flags(1_600, [(0.02, 0.06)]).tolist() == [False, True, True, False]
    assert frame_flags(1_600, [(0.0, 0.0125), (0.0725, 9.0)]).tolist() == [False, False, False, True]
    assert frame_flags(1_600, []).tolist() == [False] * 4
    assert frame_times(2).tolist() == [0.0125, 0.0325]


def test_softmax_gives_the_shares_of_powers_of_e() -> None:
    logits = np.log(np.array([[1.0, 2.0, 5.0], [3.0, 3.0, 2.0]], dtype=np.float32))
    assert softmax(logits) == pytest.approx(np.array([[1.0, 2.0, 5.0], [3.0, 3.0, 2.0]]) / 8.0, abs=1e-6)


def test_softmax_of_huge_logits_is_certain_and_does_not_overflow() -> None:
    assert softmax(np.array([1e4, -1e4, 0.0], dtype=np.float32)).tolist() == [1.0, 0.0, 0.0]


def test_sigmoid_gives_odds_of_powers_of_e_and_does_not_overflow() -> None:
    logits = np.array([math.log(3.0), -math.log(3.0), 1e4, -1e4], dtype=np.float32)
    assert sigmoid(logits) == pytest.approx([0.75, 0.25, 1.0, 0.0], abs=1e-6)  # 3 to 1, 1 to 3


def test_the_mean_of_the_frames_is_what_the_whole_window_says() -> None:
    flags = np.array([True, True, False])
    frames = np.array([[0.0, 0.2, 0.0], [0.2, 0.4, 0.0], [0.9, 0.9, 0.9]], dtype=np.float32)
    blank = np.zeros(1, dtype=np.float32)
    whole = np.array([0.3, -0.3, 0.0], dtype=np.float32)
    window = Window(blank, whole, blank, blank, blank, blank, blank, frames, blank, blank)
    moved = _around_the_whole(window, flags)
    assert moved[flags].mean(axis=0) == pytest.approx(whole, abs=1e-6)
    assert np.diff(moved[:2], axis=0) == pytest.approx(np.diff(frames[:2], axis=0), abs=1e-6)
    assert moved.max() <= 1.0
    assert np.array_equal(_around_the_whole(window, np.zeros(3, dtype=np.bool_)), frames)


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
