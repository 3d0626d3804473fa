import math

import pytest

from aptone.ear.measures import norms
from aptone.ear.measures.norms import (
    LINES,
    MEASURES,
    OTHER,
    Judgement,
    Rule,
    known_language,
    line_norm,
    norm,
    spreads_from_norm,
    weigh,
)
from aptone.types import Intonation, Rhythm, Sex
from tests.tables import for_each

RULES = {Intonation.RISING: Rule(0.0, {"slope": 1.0}), Intonation.FALLING: Rule(0.5, {"slope": -1.0, "force": 2.0})}


def test_probabilities_are_the_softmax_of_bias_and_weighted_terms() -> None:
    found = weigh({"slope": 1.0, "force": 0.25}, RULES)
    # rising: 1; falling: 0.5 - 1 + 0.5 = 0; e / (e + 1) = 0.731
    assert found[Intonation.RISING] == pytest.approx(math.e / (math.e + 1.0))
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_term_that_was_not_measured_adds_nothing() -> None:
    assert weigh({"slope": 0.5}, RULES) == weigh({"slope": 0.5, "force": 0.0}, RULES)


def test_enormous_evidence_does_not_overflow() -> None:
    assert weigh({"slope": 1e6}, RULES)[Intonation.RISING] == pytest.approx(1.0)


def test_a_judgement_holds_probabilities_or_a_reason() -> None:
    assert Judgement({Intonation.RISING: 0.6, Intonation.FALLING: 0.4}).best is Intonation.RISING
    silent: Judgement[Intonation] = Judgement(reason="silence")
    assert silent.best is None
    with pytest.raises(ValueError, match="either"):
        Judgement()
    with pytest.raises(ValueError, match="either"):
        Judgement({Intonation.RISING: 1.0}, reason="silence")


LANGUAGES = ("zh", "en", "de", "pl", OTHER)


@for_each(
    ("code", "expected"),
    [
        ("zh", "zh"),
        ("zh-Hans-CN", "zh"),
        ("ZH_tw", "zh"),
        ("cmn", "zh"),
        ("en-GB", "en"),
        ("deu", "de"),
        ("pl", "pl"),
        ("other", "other"),
        ("ja", "other"),
        ("", "other"),
        (None, "other"),
    ],
)
def test_a_code_finds_its_language_and_every_other_shares_one(code: str | None, expected: str) -> None:
    assert known_language(code) == expected


def test_every_measure_has_a_norm_for_languages_that_are_not_named() -> None:
    assert set(MEASURES) == {
        "pitch level",
        "pitch range",
        "articulation rate",
        "spectral tilt",
        "loudness",
        "pause share",
        "longest pause",
        "jitter",
        "shimmer",
        "HNR",
        "voiced share",
    }
    assert all(OTHER in by_language and set(by_language) <= set(LANGUAGES) for by_language in MEASURES.values())
    assert set(LINES) == set(LANGUAGES)


@for_each("measure", list(MEASURES))
def test_norms_are_numbers_with_a_positive_spread(measure: str) -> None:
    for language in LANGUAGES:
        for sex in (Sex.FEMALE, Sex.MALE, Sex.UNCLEAR, None):
            centre, spread = norm(measure, sex=sex, language=language)
            assert math.isfinite(centre)
            assert 0 < spread < math.inf


@for_each("language", LANGUAGES)
def test_women_speak_higher_than_men_and_both_together_lie_between_them(language: str) -> None:
    woman, man, both = (norm("pitch level", sex=sex, language=language).centre for sex in (Sex.FEMALE, Sex.MALE, None))
    # half an octave at least: 6 semitones
    assert woman - man > 6.0
    assert man < both < woman


@for_each("language", LANGUAGES)
def test_the_ordinary_line_of_every_language_sinks(language: str) -> None:
    line = line_norm(language)
    assert -12.0 < line.movement < 0.0
    assert line.turn >= 0.0
    assert 0 < line.carried <= line.melody + line.melody_spread


def test_mandarin_carries_more_melody_than_languages_without_tones() -> None:
    assert line_norm("zh").carried > max(line_norm(language).carried for language in ("en", "de", "pl"))


def test_a_value_two_spreads_above_its_norm_lies_two_spreads_above_it() -> None:
    centre, spread = norm("pitch range", sex=Sex.MALE, language="de")
    value = centre + 2.0 * spread
    assert spreads_from_norm("pitch range", value, sex=Sex.MALE, language="de-AT") == pytest.approx(2.0)


def test_probabilities_of_a_sex_need_not_sum_to_one() -> None:
    half = spreads_from_norm("pitch level", 9.0, sex={Sex.MALE: 0.25, Sex.FEMALE: 0.25}, language="zh")
    whole = spreads_from_norm("pitch level", 9.0, sex={Sex.MALE: 0.5, Sex.FEMALE: 0.5}, language="zh")
    assert half == pytest.approx(whole)


def test_a_measure_without_a_norm_is_an_error() -> None:
    with pytest.raises(KeyError):
        spreads_from_norm("pitch slope", 1.0, sex=None, language=None)


def test_every_class_has_a_rule() -> None:
    assert set(norms.INTONATION) == set(Intonation)
    assert set(norms.RHYTHM) == set(Rhythm)


def test_the_bias_of_a_rhythm_is_minus_half_the_squared_length_of_its_prototype() -> None:
    # relaxed: tempo -0.8, pauses 0.1, force -0.6: (0.64 + 0.01 + 0.36) / 2
    assert norms.RHYTHM[Rhythm.RELAXED].bias == pytest.approx(-0.505)
