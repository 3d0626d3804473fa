import math

import pytest

from aptone.ear.measures.evidence import Judgement, Rule, Wording, explain, weigh
from aptone.types import Intonation

RULES = {Intonation.RISING: Rule(0.0, {"slope": 1.0}), Intonation.FALLING: Rule(0.5, {"slope": -1.0, "force": 2.0})}
WORDING: Wording = {
    "slope": ({"en": "up", "zh": "升"}, {"en": "down", "zh": "降"}),
    "force": ({"en": "strong", "zh": "强"}, {"en": "soft", "zh": "弱"}),
}


def test_probabilities_are_the_softmax_of_bias_and_weighted_terms() -> None:
    found = weigh({"slope": 1.0, "force": 0.25}, RULES)
    # rising: 1; falling: 0.5 - 1 + 0.5 = 0; e / (e + 1) = 0.731
    assert found[Intonation.RISING] == pytest.approx(math.e / (math.e + 1.0))
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_term_that_was_not_measured_adds_nothing() -> None:
    assert weigh({"slope": 0.5}, RULES) == weigh({"slope": 0.5, "force": 0.0}, RULES)


def test_enormous_evidence_does_not_overflow() -> None:
    assert weigh({"slope": 1e6}, RULES)[Intonation.RISING] == pytest.approx(1.0)


def test_terms_are_told_with_the_weightiest_first_and_in_words_of_their_sign() -> None:
    told = explain({"slope": -0.4, "force": -0.5}, RULES, WORDING)
    # falling: force -0.5 * 2 = -1, slope -0.4 * -1 = 0.4
    assert [str(term) for term in told[Intonation.FALLING]] == ["soft (-1.0)", "down (+0.4)"]
    assert told[Intonation.FALLING][0].value == -0.5


def test_what_adds_nothing_is_not_told() -> None:
    told = explain({"slope": 0.0, "force": 1.0}, RULES, WORDING)
    assert told[Intonation.RISING] == ()
    assert [str(term) for term in told[Intonation.FALLING]] == ["strong (+2.0)"]


def test_the_words_of_a_term_are_given_in_both_languages() -> None:
    told = explain({"slope": -0.4}, RULES, WORDING)
    assert told[Intonation.RISING][0].words["zh"] == "降"


def test_a_judgement_holds_probabilities_or_a_reason() -> None:
    assert Judgement({Intonation.RISING: 0.6, Intonation.FALLING: 0.4}).best is Intonation.RISING
    silent: Judgement[Intonation] = Judgement(reason="silence")
    assert silent.best is None
    with pytest.raises(ValueError, match="either"):
        Judgement()
    with pytest.raises(ValueError, match="either"):
        Judgement({Intonation.RISING: 1.0}, reason="silence")
