"""The pitch tracker, on sounds whose pitch is known, and its best path through candidates."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures.pitch import best_path, track_pitch
from tests.tables import for_each

RATE = 16_000
Floats = npt.NDArray[np.float64]
Samples = npt.NDArray[np.float32]


def tone(hz: float | Floats, amplitude: Callable[[int], float] = lambda number: 1.0 / number) -> Samples:
    """Harmonics of a pitch, given for every sample; a sawtooth of one second unless told otherwise. Level -20 dBFS."""
    pitch = np.full(RATE, hz) if isinstance(hz, float) else hz
    phase = 2.0 * np.pi * np.cumsum(pitch) / RATE
    highest = int(7_900.0 / pitch.max())
    sound = sum(amplitude(number) * np.sin(number * phase + number**2) for number in range(1, highest + 1))
    return np.asarray(0.1 * sound / np.sqrt(np.mean(np.square(sound))), dtype=np.float32)


def cents(found: Floats, expected: float | Floats) -> Floats:
    error: Floats = 1200.0 * np.log2(found / expected)
    return error


def middles(values: Floats) -> Floats:
    """What a curve, given for every sample, is in the middle of each frame of 160 samples."""
    return values[80::160]


@for_each(
    ("hz", "strength"),
    [(55.0, 0.4), (80.0, 0.85), (123.0, 0.95), (220.0, 0.98), (440.0, 0.98), (700.0, 0.98), (790.0, 0.98)],
)
def test_a_steady_tone_has_the_pitch_that_it_was_made_with(hz: float, strength: float) -> None:
    contour = track_pitch(tone(hz))
    inner = slice(3, -3)  # the outermost windows reach beyond the sound
    assert contour.hz.size == 100
    assert np.abs(cents(contour.hz[inner], hz)).max() < 10.0
    assert contour.strength[inner].min() > strength  # 1, but for windows that hold fewer than four periods


@for_each(("start", "end"), [(80.0, 400.0), (400.0, 80.0), (150.0, 750.0)])
def test_a_glide_is_followed(start: float, end: float) -> None:
    path = np.geomspace(start, end, RATE)
    error = cents(track_pitch(tone(path)).hz, middles(path))
    assert np.abs(error[3:-3]).max() < 20.0


def test_a_vibrato_is_followed() -> None:
    path = 200.0 * 2.0 ** (np.sin(2.0 * np.pi * 5.5 * np.arange(RATE) / RATE) / 12.0)  # a semitone up and down
    error = cents(track_pitch(tone(path)).hz, middles(path))
    assert np.abs(error[3:-3]).max() < 20.0


@for_each("hz", [90.0, 180.0, 350.0])
def test_a_missing_fundamental_is_heard(hz: float) -> None:
    contour = track_pitch(tone(hz, lambda number: 1.0 if 3 <= number <= 8 else 0.0))
    assert np.abs(cents(contour.hz[3:-3], hz)).max() < 10.0


@for_each("hz", [90.0, 150.0, 300.0])
def test_a_strong_second_harmonic_is_not_taken_for_the_fundamental(hz: float) -> None:
    contour = track_pitch(tone(hz, lambda number: 8.0 if number == 2 else 1.0 / number))  # 18 dB above the first
    assert np.abs(cents(contour.hz[3:-3], hz)).max() < 10.0


@pytest.mark.parametrize("hz", [110.0, 220.0])
def test_noise_five_decibels_below_the_voice_does_not_mislead_it(hz: float) -> None:
    noise = 0.1 * 10.0 ** (-5.0 / 20.0) * np.random.default_rng(1).standard_normal(RATE)
    contour = track_pitch((tone(hz) + noise).astype(np.float32))
    assert np.abs(cents(contour.hz[3:-3], hz)).max() < 100.0
    # r = H / (H + N) = 1 / (1 + 10^-0.5) = 0.76, less what the window lets through
    assert np.median(contour.strength) == pytest.approx(0.76, abs=0.06)


def coloured_noise(power: float) -> Samples:
    """Noise whose amplitude falls with frequency to this power, above 30 Hz: 0 white, 0.5 pink, 1 brown."""
    spectrum = np.fft.rfft(np.random.default_rng(2).standard_normal(4 * RATE))
    spectrum /= np.maximum(np.fft.rfftfreq(4 * RATE, 1.0 / RATE), 30.0) ** power
    noise = np.fft.irfft(spectrum)
    return np.asarray(0.1 * noise / noise.std(), dtype=np.float32)


@for_each("power", [0.0, 0.5, 1.0])
def test_noise_is_unvoiced_of_whatever_colour(power: float) -> None:
    assert np.mean(track_pitch(coloured_noise(power)).voiced) < 0.02


@for_each(
    "samples",
    [
        np.zeros(RATE),
        np.full(RATE, 0.5),
        np.eye(1, RATE, RATE // 2)[0],
        0.1 * np.sin(2.0 * np.pi * 55.0 * np.arange(RATE) / RATE),
    ],
    ids=["silence", "an offset", "a click", "a hum"],
)
def test_what_is_no_voice_is_unvoiced(samples: Floats) -> None:
    contour = track_pitch(samples.astype(np.float32))
    assert not contour.voiced.any()
    assert contour.hz.size == 100
    assert np.isfinite(contour.strength).all()


def test_a_voice_is_voiced_where_it_is_and_nowhere_else() -> None:
    quiet = (1e-4 * np.random.default_rng(3).standard_normal(RATE)).astype(np.float32)
    contour = track_pitch(np.concatenate([quiet, tone(150.0), quiet]))
    assert contour.voiced[102:198].all()
    assert not contour.voiced[:98].any()
    assert not contour.voiced[202:].any()


def test_one_click_does_not_silence_the_rest() -> None:
    samples = np.tile(tone(150.0) * 0.1, 4)
    samples[5_000] = 1.0  # 100 times the peaks around it; frames below a hundredth of the loud ones are unvoiced
    assert np.mean(track_pitch(samples).voiced) > 0.95


def test_a_shifted_voice_does_not_change() -> None:
    shifted = track_pitch(tone(150.0) + np.float32(0.3))
    assert np.abs(cents(shifted.hz[3:-3], 150.0)).max() < 10.0


@for_each("samples", [0, 1, 159, 160, 500, 3_200])
def test_any_length_has_a_frame_for_every_whole_ten_milliseconds(samples: int) -> None:
    contour = track_pitch(tone(200.0)[:samples])
    assert contour.hz.size == contour.strength.size == samples // 160


@for_each("gain", [1e-25, 1e-6, 1e25])
def test_pitch_does_not_depend_on_the_level(gain: float) -> None:
    samples = tone(np.geomspace(100.0, 300.0, RATE))
    assert track_pitch(samples * np.float32(gain)).hz == pytest.approx(track_pitch(samples).hz, rel=1e-5)


def test_what_is_too_faint_for_arithmetic_is_silence() -> None:
    assert not track_pitch(tone(200.0) * np.float32(1e-35)).voiced.any()


def test_blocks_leave_no_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(4)
    path = np.geomspace(90.0, 350.0, 5 * RATE)
    samples = tone(path) + (0.02 * generator.standard_normal(path.size)).astype(np.float32)
    samples[RATE : 2 * RATE] *= np.float32(0.001)
    whole = track_pitch(samples)
    monkeypatch.setattr("aptone.ear.measures.pitch._BLOCK", 37)
    pieces = track_pitch(samples)
    assert np.array_equal(pieces.voiced, whole.voiced)
    assert pieces.hz == pytest.approx(whole.hz, rel=1e-4, nan_ok=True)
    assert pieces.strength == pytest.approx(whole.strength, abs=1e-4)


def step_by_step(scores: Floats, octaves: Floats, *, jump_cost: float, voicing_cost: float) -> list[int]:
    """Viterbi's algorithm as it is written in books, a frame at a time."""
    candidates = scores.shape[1]
    reached, came_from = list(scores[0]), []
    for frame in range(1, len(scores)):
        arriving, origins = [], []
        for after in range(candidates):
            ways = []
            for before in range(candidates):
                if before == after == candidates - 1:
                    cost = 0.0
                elif candidates - 1 in (before, after):
                    cost = voicing_cost
                else:
                    cost = jump_cost * abs(octaves[frame - 1, before] - octaves[frame, after])
                ways.append(reached[before] - cost)
            origins.append(int(np.argmax(ways)))
            arriving.append(max(ways) + scores[frame, after])
        reached = arriving
        came_from.append(origins)
    path = [int(np.argmax(reached))]
    for origins in reversed(came_from):
        path.append(origins[path[-1]])
    return path[::-1]


@for_each("frames", [1, 2, 3, 4, 5, 8, 9, 10, 15, 16, 17, 50])
def test_the_path_is_that_of_the_algorithm_one_frame_at_a_time(frames: int) -> None:
    generator = np.random.default_rng(frames)
    scores, octaves = generator.random((frames, 4)), 5.0 + 4.0 * generator.random((frames, 4))
    scores[:, :3][generator.random((frames, 3)) < 0.3] = -np.inf
    found = best_path(scores, octaves, jump_cost=0.3, voicing_cost=0.2)
    assert found.tolist() == step_by_step(scores, octaves, jump_cost=0.3, voicing_cost=0.2)


def test_a_candidate_that_is_not_there_is_never_taken() -> None:
    scores = np.array([[-np.inf, 0.1], [-np.inf, 0.1], [0.0, -5.0]])
    assert best_path(scores, np.zeros((3, 2)), jump_cost=1.0, voicing_cost=1.0).tolist() == [1, 1, 0]


def test_no_frames_have_no_path() -> None:
    assert best_path(np.empty((0, 3)), np.empty((0, 3)), jump_cost=1.0, voicing_cost=1.0).size == 0


def test_a_leap_is_taken_only_if_it_earns_more_than_it_costs() -> None:
    octaves = np.array([[7.0, 8.0, 0.0]] * 3)
    for gain, expected in ((0.59, [0, 0, 0]), (0.61, [0, 1, 0])):  # up and down again: 2 * 0.3 * 1 octave
        scores = np.array([[1.0, 0.0, 0.0], [1.0, 1.0 + gain, 0.0], [1.0, 0.0, 0.0]])
        assert best_path(scores, octaves, jump_cost=0.3, voicing_cost=0.2).tolist() == expected
