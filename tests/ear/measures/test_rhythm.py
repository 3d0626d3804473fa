"""Syllables, rates and pauses, and the rhythm that they make."""

import math
import warnings

import numpy as np
import numpy.typing as npt
import pytest

from aptone.ear.measures import norms
from aptone.ear.measures.rhythm import (
    articulation_rate,
    longest_pause,
    pause_share,
    pauses,
    pauses_per_minute,
    rhythm,
    rhythm_terms,
    speech_rate,
    syllable_nuclei,
)
from aptone.types import Rhythm, Score, Segment, Sex
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


LIVELY = (Rhythm.BRISK, Rhythm.TENSE, Rhythm.HIGH_ENERGY)
SPEAKERS = [
    (sex, language) for sex in (Sex.FEMALE, Sex.MALE, None) for language in ("zh", "en", "de", "pl", "ja", None)
]
SOURCES = {
    "articulation rate": "tempo",
    "pause share": "pauses",
    "longest pause": "pauses",
    "spectral tilt": "force",
    "pitch level": "pitch",
    "pitch range": "melody",
}


def spoken(sex: Sex | None = None, language: str | None = None, **terms: float) -> dict[str, Score]:
    """Measures of a voice whose terms are so many spreads from the norm; ordinary ones are left at 0."""
    found = {"loudness": norms.norm("loudness", sex=sex, language=language).centre}
    for name, term in SOURCES.items():
        centre, spread = norms.norm(name, sex=sex, language=language)
        found[name] = centre + terms.get(term, 0.0) * spread
    return {name: Score(value, higher_is_better=None) for name, value in found.items()}


def undefined(reason: str) -> Score:
    return Score(math.nan, reason=reason)


@for_each(("sex", "language"), SPEAKERS)
@for_each("name", list(Rhythm))
def test_a_voice_at_the_prototype_of_a_rhythm_has_that_rhythm(
    name: Rhythm, sex: Sex | None, language: str | None
) -> None:
    heard = rhythm(spoken(sex, language, **norms.PROTOTYPES[name]), sex=sex, language=language)
    assert heard.best is name
    assert sum(heard.distribution.values()) == pytest.approx(1.0)


def test_ordinary_speech_is_rather_relaxed_than_anything_else_and_far_from_certain() -> None:
    heard = rhythm(spoken(Sex.MALE, "zh"), sex=Sex.MALE, language="zh")
    # with all terms at 0 the evidence is -|p|²/2, and the prototype of relaxed lies nearest
    assert heard.best is Rhythm.RELAXED
    assert max(heard.distribution.values()) < 0.4


@for_each(("sex", "language"), SPEAKERS)
def test_the_faster_the_livelier(sex: Sex | None, language: str | None) -> None:
    shares = []
    for tempo in (-2.0, -1.0, 0.0, 1.0, 2.0):
        heard = rhythm(spoken(sex, language, tempo=tempo), sex=sex, language=language).distribution
        shares.append(sum(heard[name] for name in LIVELY))
    assert shares == sorted(shares)
    assert shares[0] < 0.2
    assert shares[-1] > 0.8


def test_the_same_pitch_is_high_for_a_man_and_low_for_a_woman() -> None:
    measures = spoken() | {"pitch level": Score(10.0)}  # 178 Hz
    assert rhythm_terms(measures, sex=Sex.MALE)["pitch"] > 0.5
    assert rhythm_terms(measures, sex=Sex.FEMALE)["pitch"] < -0.5
    assert abs(rhythm_terms(measures, sex=None)["pitch"]) < 0.5


def test_an_uncertain_sex_weighs_the_norms_by_its_probabilities() -> None:
    measures = spoken() | {"pitch level": Score(10.0)}
    man, woman, unclear = (
        rhythm_terms(measures, sex=sex, language="en")["pitch"] for sex in (Sex.MALE, Sex.FEMALE, Sex.UNCLEAR)
    )
    mixed = {Sex.MALE: 0.6, Sex.FEMALE: 0.3, Sex.UNCLEAR: 0.1}
    expected = 0.6 * man + 0.3 * woman + 0.1 * unclear
    assert rhythm_terms(measures, sex=mixed, language="en")["pitch"] == pytest.approx(expected)


@for_each("sex", [{}, {Sex.MALE: 0.0}, {Sex.MALE: math.nan}, {Sex.UNCLEAR: 1.0}, Sex.UNCLEAR])
def test_a_sex_that_is_not_known_gets_the_norm_of_both(sex: Sex | dict[Sex, float]) -> None:
    measures = spoken() | {"pitch level": Score(10.0)}
    assert rhythm_terms(measures, sex=sex) == rhythm_terms(measures, sex=None)


def test_loudness_alone_says_nothing() -> None:
    loud = spoken() | {"loudness": Score(-3.0)}
    assert rhythm(loud) == rhythm(spoken())


def test_loudness_adds_to_force_only_where_the_spectrum_agrees() -> None:
    centre, spread = norms.norm("loudness", sex=None, language=None)
    loud, quiet = Score(centre + spread), Score(centre - spread)
    strong = spoken(force=1.0)
    # one spread of loudness is worth 0.3 of force
    assert rhythm_terms(strong | {"loudness": loud})["force"] == pytest.approx(1.3)
    assert rhythm_terms(strong | {"loudness": quiet})["force"] == pytest.approx(1.0)
    assert rhythm_terms(spoken(force=-1.0) | {"loudness": quiet})["force"] == pytest.approx(-1.3)


def test_a_line_without_pauses_is_no_livelier_than_one_with_ordinary_pauses() -> None:
    none = spoken() | {"pause share": Score(0.0), "longest pause": Score(0.0)}
    assert rhythm(none) == rhythm(spoken())


def test_long_pauses_speak_for_heavy() -> None:
    before = rhythm(spoken()).distribution[Rhythm.HEAVY]
    assert rhythm(spoken(pauses=2.0)).distribution[Rhythm.HEAVY] > before


def test_terms_end_at_three_spreads_and_melody_at_two() -> None:
    terms = rhythm_terms(spoken(tempo=40.0, pitch=-40.0, melody=40.0))
    assert terms["melody"] == 2.0
    assert terms["tempo"] == 3.0
    assert terms["pitch"] == -3.0


@pytest.mark.parametrize("name", ["articulation rate", "pitch level"])
def test_without_tempo_or_pitch_there_is_no_rhythm_and_the_reason_is_passed_on(name: str) -> None:
    heard = rhythm(spoken() | {name: undefined("3 voiced frames, need 12")})
    assert heard.distribution == {}
    assert heard.reason == f"{name}: 3 voiced frames, need 12"


def test_a_measure_that_is_missing_is_named() -> None:
    assert rhythm({}).reason == "articulation rate: not measured"


def test_a_term_that_cannot_be_measured_counts_as_ordinary() -> None:
    unknown = {name: undefined("telephone band") for name in ("spectral tilt", "pitch range", "pause share")}
    measures = spoken(tempo=1.0, force=2.0, melody=2.0) | unknown | {"longest pause": undefined("one stretch")}
    assert set(rhythm_terms(measures)) == {"tempo", "pitch"}
    assert rhythm(measures).distribution == pytest.approx(rhythm(spoken(tempo=1.0)).distribution)


def test_absurd_measures_give_probabilities_without_a_warning() -> None:
    rng = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(50):
            measures = {name: Score(float(value)) for name, value in zip(SOURCES, rng.normal(0, 1e6, 6), strict=True)}
            assert sum(rhythm(measures).distribution.values()) == pytest.approx(1.0)
