"""Pitch contours, what is measured on them, and the intonation of a line."""

import math
import warnings

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.measures import norms
from aptone.ear.measures.intonation import (
    Contour,
    Shape,
    intonation,
    line_shapes,
    pitch_level,
    pitch_range,
    pitch_slope,
    semitones,
    voiced_share,
    while_speaking,
)
from aptone.types import Intonation, Segment
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


STEP = 0.01
LANGUAGES = ("zh", "en", "de", "pl", None)
FLAT, RISING, CURVED, FALLING = Intonation.FLAT, Intonation.RISING, Intonation.CURVED, Intonation.FALLING

Floats = npt.NDArray[np.float64]


def places(seconds: float = 2.0) -> Floats:
    """From -1 at the first frame to 1 at the last."""
    return np.linspace(-1.0, 1.0, round(seconds / STEP))


def hertz(semitones: Floats, *, base: float = 180.0) -> Floats:
    found: Floats = base * 2.0 ** (semitones / 12.0)
    return found


def wave(size: int, *, melody: float) -> Floats:
    """Accents, four a second, whose 10th and 90th percentiles lie `melody` semitones apart.

    A sine stays below sin(0.4 * pi) = 0.951 of its height for 90 % of the time, so its height is melody / (2 * 0.951).
    """
    height = melody / (2.0 * math.sin(0.4 * math.pi))
    found: Floats = height * np.sin(2.0 * np.pi * 4.0 * STEP * np.arange(size))
    return found


def best(semitones: Floats, language: str | None = None) -> Intonation | None:
    return intonation(STEP, hertz(semitones), language=language).best


@for_each("language", LANGUAGES)
@for_each("height", [4.0, 6.0, 12.0])
def test_a_glide_up_is_rising_and_its_mirror_image_is_falling(language: str | None, height: float) -> None:
    glide = height / 2.0 * places()
    assert best(glide, language) is RISING
    assert best(-glide, language) is FALLING


@for_each("language", LANGUAGES)
def test_a_steady_voice_is_flat(language: str | None) -> None:
    assert best(0.0 * places(), language) is FLAT


@for_each("language", LANGUAGES)
@for_each("direction", [1.0, -1.0])
def test_an_arch_and_a_dip_are_curved(language: str | None, direction: float) -> None:
    assert best(direction * 6.0 * (1.0 - places() ** 2), language) is CURVED


def test_the_mirror_image_of_a_bare_glide_swaps_rising_and_falling() -> None:
    glide = 3.0 * places()
    up, down = (intonation(STEP, hertz(line)).distribution for line in (glide, -glide))
    # without melody there is no allowance for declination, so both are two clear movements from level. What is left
    # is that plain speech falls more often than it rises, so a fall must be a little clearer (bias -1 against -0.5).
    assert up[RISING] == pytest.approx(down[FALLING], abs=0.1)
    assert up[FALLING] == pytest.approx(down[RISING], abs=0.01)
    assert down[FALLING] < up[RISING]


@for_each("shape", [0.0 * places(), 3.0 * places(), 6.0 * places() ** 2])
def test_an_octave_higher_is_the_same_intonation(shape: Floats) -> None:
    low = intonation(STEP, hertz(shape, base=110.0)).distribution
    high = intonation(STEP, hertz(shape, base=220.0)).distribution
    for name in Intonation:
        assert high[name] == pytest.approx(low[name], abs=1e-9)


@for_each("language", LANGUAGES)
def test_the_ordinary_sinking_of_a_language_is_flat(language: str | None) -> None:
    ordinary = norms.line_norm(language)
    line = ordinary.movement / 2.0 * places(3.0)
    assert best(line + wave(line.size, melody=ordinary.carried), language) is FLAT


@for_each("language", ["en", "de", None])
def test_the_same_sinking_without_accents_to_hide_it_is_falling(language: str | None) -> None:
    ordinary = norms.line_norm(language)
    # between 4 and 8 semitones in these languages, with no allowance left
    assert -8.0 < ordinary.movement < -4.0
    assert best(ordinary.movement / 2.0 * places(3.0), language) is FALLING


@for_each("language", LANGUAGES)
def test_sinking_six_semitones_below_the_ordinary_line_is_falling(language: str | None) -> None:
    ordinary = norms.line_norm(language)
    line = (ordinary.movement - 6.0) / 2.0 * places(3.0)
    assert best(line + wave(line.size, melody=ordinary.carried), language) is FALLING


def tones(pattern: str, *, syllable: float = 0.2) -> Floats:
    """Mandarin syllables, 50 ms apart: high level, rising, low, falling; eight semitones between high and low."""
    shapes = {"1": (4.0, 4.0), "2": (-2.0, 4.0), "3": (-4.0, -4.0), "4": (4.0, -4.0)}
    gap = np.full(round(0.05 / STEP), np.nan)
    pieces = []
    for tone in pattern:
        pieces += [np.linspace(*shapes[tone], round(syllable / STEP)), gap]
    return np.concatenate(pieces[:-1])


@for_each("pattern", ["142314321423", "431241342312", "214321434124"])
def test_lexical_tones_do_not_make_an_intonation(pattern: str) -> None:
    spoken = tones(pattern)
    slope = np.linspace(-1.0, 1.0, spoken.size)
    assert best(spoken, "zh") is FLAT
    assert best(spoken + 4.0 * slope, "zh") is RISING
    assert best(spoken - 6.0 * slope, "zh") is FALLING


@for_each("language", LANGUAGES)
def test_a_level_line_that_is_lifted_at_its_end_is_rising(language: str | None) -> None:
    place = places()
    # level for the first 85 % of two seconds, then up by seven semitones within 0.3 s
    assert best(7.0 * np.clip((place - 0.7) / 0.3, 0.0, 1.0), language) is RISING


def test_octave_errors_do_not_turn_a_line() -> None:
    rng = np.random.default_rng(3)
    line = 3.0 * places()
    wrong = line + 12.0 * (rng.random(line.size) < 0.06)
    assert best(wrong) is RISING
    assert line_shapes(STEP, hertz(wrong))[0].movement == pytest.approx(6.0, abs=0.3)


def test_weak_frames_are_left_out() -> None:
    line = 3.0 * places()
    creak = np.concatenate([line, np.full(40, -9.0)])
    strength = np.concatenate([np.full(200, 0.9), np.full(40, 0.4)])
    (shape,) = line_shapes(STEP, hertz(creak), strength=strength)
    assert shape == line_shapes(STEP, hertz(line))[0]
    assert intonation(STEP, hertz(creak), strength=strength).best is RISING


def test_a_hum_far_below_the_voice_is_left_out() -> None:
    line = hertz(3.0 * places(), base=220.0)
    hum = np.concatenate([line, np.full(60, np.nan), np.full(60, 50.0)])  # 26 semitones below, as mains hum is
    assert line_shapes(STEP, hum) == line_shapes(STEP, line)


def test_what_is_heard_while_nobody_speaks_is_left_out() -> None:
    contour = while_speaking(STEP, np.full(300, 150.0), [Segment(0.5, 1.0), Segment(2.0, 9.0)])
    # value i stands at (i + 1/2) * 10 ms: 50 to 99 and 200 to 299
    assert np.flatnonzero(np.isfinite(contour)).tolist() == [*range(50, 100), *range(200, 300)]
    assert np.isnan(while_speaking(STEP, [150.0, 160.0], [])).all()


def test_a_long_pause_does_not_change_the_line() -> None:
    line = hertz(3.0 * places())
    paused = np.concatenate([line[:80], np.full(300, np.nan), line[80:]])
    (whole,), (cut,) = line_shapes(STEP, line), line_shapes(STEP, paused)
    # of three seconds 0.15 are kept: the line is stretched by 7 % in one place, so it is no longer quite straight
    assert cut.movement == pytest.approx(whole.movement, abs=0.4)
    assert cut.voiced == whole.voiced


def test_the_shape_of_a_glide_of_six_semitones() -> None:
    (shape,) = line_shapes(STEP, hertz(3.0 * places()))
    assert shape.movement == pytest.approx(6.0)
    assert shape.turn == pytest.approx(0.0, abs=1e-9)
    assert shape.melody == pytest.approx(0.0, abs=1e-9)
    assert shape.voiced == pytest.approx(2.0)
    # the middle of the last 15 frames lies 22.5 frames after the middle of the 30 before, of 199 steps in all
    assert shape.ending == pytest.approx(6.0 * 22.5 / 199.0)


def test_the_shape_of_an_arch_of_six_semitones() -> None:
    (shape,) = line_shapes(STEP, hertz(6.0 * (1.0 - places() ** 2)))
    assert shape.movement == pytest.approx(0.0, abs=1e-9)
    # measured between -0.95 and 0.95, where the arch is 6 * 0.95² = 5.415 high
    assert shape.turn == pytest.approx(5.415, abs=0.01)


def test_the_melody_around_a_line_is_measured_in_semitones() -> None:
    (shape,) = line_shapes(STEP, hertz(3.0 * places(4.0) + wave(400, melody=5.0)))
    assert shape.melody == pytest.approx(5.0, rel=0.05)
    # sixteen whole waves of height 2.63 tilt a straight line by 2.63 * 6 / (16 * pi) = 0.31 semitones
    assert shape.movement == pytest.approx(6.0 - 0.31, abs=0.02)


def test_the_uncertainty_of_a_movement_is_the_standard_error_of_a_slope() -> None:
    shape = Shape(movement=0.0, turn=0.0, ending=0.0, melody=2.563, voiced=2.0)
    # a melody of 2.563 semitones is a deviation of 1; two seconds hold ten syllables; the slope of a line of length 1
    # through ten evenly spread values has a standard error of 1 / sqrt(10 / 12)
    assert shape.uncertainty == pytest.approx(math.sqrt(12.0 / 10.0))


@pytest.mark.parametrize(("direction", "expected"), [(1.0, RISING), (-1.0, FALLING)])
def test_two_minutes_of_lines_with_pauses_between_them_are_what_each_line_is(
    direction: float, expected: Intonation
) -> None:
    line = hertz(direction * 3.0 * places(4.0))
    spoken = np.concatenate([piece for _ in range(30) for piece in (line, np.full(60, np.nan))])
    shapes = line_shapes(STEP, spoken)
    # 4 s of voice each: two together would be longer than a line may be, so the cuts fall on the pauses
    assert len(shapes) == 30
    assert all(one.movement == pytest.approx(direction * 6.0) for one in shapes)
    assert intonation(STEP, spoken).best is expected


def test_a_voice_that_never_pauses_is_cut_in_the_middle() -> None:
    assert [one.voiced for one in line_shapes(STEP, np.full(1000, 200.0))] == pytest.approx([5.0, 5.0])


@for_each(
    "contour",
    [
        np.array([]),
        np.full(500, np.nan),
        np.zeros(500),
        np.full(500, -100.0),
        np.full(29, 200.0),
        np.where(np.arange(600) % 6 < 3, 200.0, np.nan),  # stretches of 30 ms
    ],
    ids=["empty", "unvoiced", "zeros", "negative", "short", "specks"],
)
def test_too_little_voice_is_not_judged_and_the_reason_says_so(contour: Floats) -> None:
    heard = intonation(STEP, contour)
    assert heard.distribution == {}
    assert heard.best is None
    assert heard.reason.endswith("s of voice, need 0.3 s")


def test_the_reason_says_how_much_voice_there_was() -> None:
    assert intonation(STEP, np.full(20, 150.0)).reason == "0.20 s of voice, need 0.3 s"


@for_each("step", [0.005, 0.016, 0.05])
def test_other_steps_give_the_same_line(step: float) -> None:
    glide = 3.0 * np.linspace(-1.0, 1.0, round(2.0 / step))
    (shape,) = line_shapes(step, hertz(glide))
    assert shape.movement == pytest.approx(6.0)
    assert intonation(step, hertz(glide)).best is RISING


def test_a_contour_has_one_dimension_and_a_fine_step() -> None:
    with pytest.raises(ValueError, match="one row"):
        intonation(STEP, np.ones((2, 50)))
    for step in (0.0, -0.01, 0.1, math.nan):
        with pytest.raises(ValueError, match="a step of at most"):
            intonation(step, np.ones(50))
    with pytest.raises(ValueError, match="as many strengths"):
        intonation(STEP, np.ones(50), strength=np.ones(49))


@pytest.mark.slow
@given(
    st.lists(st.one_of(st.just(math.nan), st.floats(40.0, 900.0)), min_size=40, max_size=120),
    st.sampled_from(LANGUAGES),
)
def test_any_contour_gives_probabilities_or_a_reason(values: list[float], language: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        heard = intonation(STEP, values, language=language)
    assert heard.reason or sum(heard.distribution.values()) == pytest.approx(1.0)
    assert all(0.0 <= share <= 1.0 for share in heard.distribution.values())
