import math
import warnings

import numpy as np
import pytest

from aptone.ear.measures import norms
from aptone.ear.measures.rhythm import explain_rhythm, rhythm, rhythm_terms
from aptone.types import Rhythm, Score, Sex
from tests.tables import for_each

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
    assert explain_rhythm(spoken() | {name: undefined("silence")}) == {}


def test_a_measure_that_is_missing_is_named() -> None:
    assert rhythm({}).reason == "articulation rate: not measured"


def test_a_term_that_cannot_be_measured_counts_as_ordinary() -> None:
    unknown = {name: undefined("telephone band") for name in ("spectral tilt", "pitch range", "pause share")}
    measures = spoken(tempo=1.0, force=2.0, melody=2.0) | unknown | {"longest pause": undefined("one stretch")}
    assert set(rhythm_terms(measures)) == {"tempo", "pitch"}
    assert rhythm(measures).distribution == pytest.approx(rhythm(spoken(tempo=1.0)).distribution)


def test_the_explanation_adds_up_and_is_told_in_words() -> None:
    measures = spoken(Sex.FEMALE, "zh", tempo=1.5, pitch=1.0, force=-0.5)
    told = explain_rhythm(measures, sex=Sex.FEMALE, language="zh")
    # the prototype of brisk: tempo 1.2, pitch 0.6, force -0.4; 1.5 * 1.2 = 1.8, 1 * 0.6 = 0.6, -0.5 * -0.4 = 0.2
    assert [str(term) for term in told[Rhythm.BRISK][:3]] == ["fast (+1.8)", "high (+0.6)", "soft (+0.2)"]
    assert told[Rhythm.BRISK][0].words["zh"] == "语速快"
    evidence = {
        name: norms.RHYTHM[name].bias + sum(term.contribution for term in terms) for name, terms in told.items()
    }
    total = sum(math.exp(value) for value in evidence.values())
    heard = rhythm(measures, sex=Sex.FEMALE, language="zh").distribution
    for name in Rhythm:
        assert heard[name] == pytest.approx(math.exp(evidence[name]) / total)


def test_absurd_measures_give_probabilities_without_a_warning() -> None:
    rng = np.random.default_rng(5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(50):
            measures = {name: Score(float(value)) for name, value in zip(SOURCES, rng.normal(0, 1e6, 6), strict=True)}
            assert sum(rhythm(measures).distribution.values()) == pytest.approx(1.0)
