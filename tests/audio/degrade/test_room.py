"""Rooms."""

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import far_field, from_array, room_response
from aptone.audio.degrade.room import decay_time
from aptone.errors import AudioError, UsageError
from tests.tables import for_each

pytestmark = pytest.mark.slow

Values = npt.NDArray[np.float64]


def reverberation_time(response: Values, rate: int) -> float:
    """ISO 3382: backward-integrated energy in dB, its regression line between -5 and -35 dB, drawn on to -60 dB."""
    energy = np.array([np.sum(response[begin:] ** 2) for begin in range(0, response.size, rate // 200)])
    decibels = 10 * np.log10(energy / energy[0])
    times = np.arange(energy.size) / 200
    chosen = (decibels <= -5) & (decibels >= -35)
    slope, _ = np.polyfit(times[chosen], decibels[chosen], 1)
    return float(-60 / slope)


def direct_to_reverberant_db(response: Values) -> float:
    return float(10 * np.log10(response[0] ** 2 / np.sum(response[1:] ** 2)))


@for_each("room", [(6.0, 5.0, 3.0), (3.0, 2.5, 2.4), (12.0, 9.0, 4.0)])
@for_each("rt60", [0.2, 0.4, 0.7])
@for_each("distance", [0.5, 1.5])
def test_the_reverberation_time_asked_for_is_measured(
    room: tuple[float, float, float], rt60: float, distance: float
) -> None:
    response = room_response(rate=8_000, rt60=rt60, distance=distance, seed=4, room=room)
    assert reverberation_time(response, 8_000) == pytest.approx(rt60, rel=0.2)


def test_the_direct_sound_comes_first_and_falls_with_the_distance() -> None:
    ratios = []
    for distance in (0.25, 0.5, 1.0, 2.0, 4.0):
        responses = [room_response(rate=8_000, rt60=0.4, distance=distance, seed=seed) for seed in range(4)]
        assert all(response[0] == pytest.approx(1 / distance, rel=0.2) for response in responses)
        ratios.append(np.mean([direct_to_reverberant_db(response) for response in responses]))
    assert all(nearer > further for nearer, further in itertools.pairwise(ratios))
    # In a diffuse field, twice as far costs 6 dB.
    assert ratios[0] - ratios[3] == pytest.approx(3 * 6.02, abs=3)


def test_the_result_has_the_level_length_and_rate_of_the_input() -> None:
    speech = np.random.default_rng(0).standard_normal(16_000) * np.repeat([0.1, 0.0, 0.2, 0.0], 4_000)
    audio = from_array(speech, rate=16_000, source="x")
    heard = far_field(audio, rt60=0.5, distance=2.0, seed=1)
    assert (heard.samples.size, heard.rate, heard.source) == (16_000, 16_000, "x")
    assert np.sqrt(np.mean(heard.samples**2)) == pytest.approx(np.sqrt(np.mean(audio.samples**2)), rel=1e-5)
    # Pauses fill with reverberation.
    assert np.std(heard.samples[4_000:5_000]) > 0.01


def test_the_onset_stays_where_it_was() -> None:
    samples = np.zeros(8_000)
    samples[1_000] = 0.5
    heard = far_field(from_array(samples, rate=8_000), rt60=0.3, distance=3.0, seed=2).samples
    assert np.flatnonzero(np.abs(heard) > 1e-6)[0] == 1_000


def test_the_same_seed_gives_the_same_room() -> None:
    options = {"rate": 8_000, "rt60": 0.3, "distance": 1.0}
    first, again, other = (room_response(**options, seed=seed) for seed in (1, 1, 2))  # type: ignore[arg-type]  # mixed
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    generator = room_response(rate=8_000, rt60=0.3, distance=1.0, seed=np.random.default_rng(1))
    assert np.array_equal(first, generator)


def test_the_decay_of_an_exponential_is_known() -> None:
    # Energy 10^(-6 t / T) falls by 60 dB in T.
    times = np.arange(0, 1, 0.001)
    assert decay_time(10 ** (-6 * times / 0.4), seconds_per_value=0.001) == pytest.approx(0.4, rel=1e-3)
    assert decay_time(np.array([1.0, 0.0, 0.0]), seconds_per_value=0.001) == 0.0


@for_each(
    ("options", "message"),
    [
        ({"rt60": 0.01}, "between 0.05 and 2.0 s"),
        ({"rt60": 3.0}, "between 0.05 and 2.0 s"),
        ({"rt60": math.nan}, "between 0.05 and 2.0 s"),
        ({"room": (1.0, 5.0, 3.0)}, "measure 1.5 to 50 m"),
        ({"room": (6.0, math.inf, 3.0)}, "measure 1.5 to 50 m"),
        ({"distance": 0.0}, "above 0 m"),
        ({"distance": 30.0}, r"30.0 m do not fit into a room"),
        ({"rt60": 0.1, "room": (30.0, 20.0, 10.0)}, "too short for a room"),
        ({"rt60": 2.0, "room": (3.0, 2.0, 2.0)}, "too long for a room"),
    ],
)
def test_what_does_not_exist_is_refused(options: dict[str, float], message: str) -> None:
    known: dict[str, float] = {"rt60": 0.4, "distance": 1.0}
    with pytest.raises(UsageError, match=message):
        far_field(from_array([0.1], rate=8_000), seed=0, **(known | options))  # type: ignore[arg-type]  # mixed values


def test_a_silent_clip_has_no_level_to_keep() -> None:
    with pytest.raises(AudioError, match="x: the clip is silent"):
        far_field(from_array([0.0, 0.0], rate=8_000, source="x"), rt60=0.4, distance=1.0, seed=0)
