import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.describe import ATTRIBUTES, Attribute, values_of
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.score import (
    NO_DESCRIPTIVE_UNITS,
    NO_REFERENCE,
    NO_UNITS,
    NOTHING_TO_COVER,
    Match,
    emosura,
    is_descriptive,
)


def unit(attribute: Attribute = "pitch", value: str = "") -> Unit:
    return Unit("A fact.", attribute, value or values_of(attribute)[0].value, "words", 0, 5)


PITCH, VOLUME, RATE, SEX, AGE = unit("pitch"), unit("volume"), unit("rate"), unit("sex"), unit("age")


def test_precision_is_the_share_of_claims_that_are_true() -> None:
    scores = emosura([PITCH, VOLUME, RATE, SEX], [True, True, False, True])
    assert scores.precision.value == 0.75


def test_recall_counts_verified_units_that_the_reference_does_not_mention_on_both_sides() -> None:
    # Reference: pitch, rate, age; matched: pitch. Verified beyond it: volume. (1 + 1) / (3 + 1) = 0.5
    scores = emosura([PITCH, VOLUME], [True, True], [PITCH, RATE, AGE], [Match(0, 0)])
    assert scores.recall.value == 0.5


def test_a_false_unit_that_matches_counts_as_covered_but_not_as_an_addition() -> None:
    # Matched 1 of 1; the false unit is no addition: (1 + 0) / (1 + 0)
    assert emosura([PITCH], [False], [PITCH], [Match(0, 0)]).recall.value == 1.0


def test_the_descriptive_score_leaves_out_who_speaks() -> None:
    # All units: s_p 1/2, s_r 1/2, s_f 1/2. Descriptive (pitch): s_p 1, s_r 1, s'_f 1. F = (1/2 + 1) / 2
    scores = emosura([PITCH, SEX], [True, False], [PITCH, AGE], [Match(0, 0)])
    assert scores.overall.value == 0.5
    assert scores.descriptive.value == 1.0
    assert scores.final.value == 0.75


def test_without_a_reference_only_precision_is_defined() -> None:
    scores = emosura([PITCH], [True]).by_name()
    assert scores.pop("s_p").value == 1.0
    assert [score.reason for score in scores.values()] == [NO_REFERENCE] * 4


def test_a_caption_without_claims_has_no_precision_but_may_miss_everything() -> None:
    scores = emosura([], [], [PITCH])
    assert scores.precision.reason == scores.final.reason == NO_UNITS
    assert scores.recall.value == 0.0


def test_a_caption_without_descriptive_claims_says_so() -> None:
    scores = emosura([SEX], [True], [SEX, PITCH], [Match(0, 0)])
    assert scores.overall.is_defined
    assert scores.final.reason == scores.descriptive.reason == NO_DESCRIPTIVE_UNITS


def test_a_reference_without_claims_leaves_recall_open_where_nothing_is_verified() -> None:
    assert emosura([PITCH], [False], []).recall.reason == NOTHING_TO_COVER
    assert emosura([PITCH], [True], []).recall.value == 1.0  # (0 + 1) / (0 + 1)


def test_a_caption_with_nothing_right_scores_nought() -> None:
    assert emosura([PITCH], [False], [VOLUME]).final.value == 0.0


def test_what_does_not_fit_together_is_refused() -> None:
    with pytest.raises(ValueError, match="1 units cannot have 2 verdicts"):
        emosura([PITCH], [True, False])
    with pytest.raises(ValueError, match="not there"):
        emosura([PITCH], [True], [PITCH], [Match(0, 1)])


def transcribed(
    units: Sequence[Unit], verified: Sequence[bool], reference: Sequence[Unit], matches: set[Match]
) -> float:
    """F written down again from the paper's equations with sets, for one caption that has all of it."""

    def f_one(kept: set[int], covered: set[int]) -> float:
        true = {place for place in kept if verified[place]}
        matched = {o for o in covered if any((p, o) in matches for p in kept)}
        extra = {p for p in true if not any((p, o) in matches for o in covered)}
        s_p = len(true) / len(kept)
        s_r = (len(matched) + len(extra)) / (len(covered) + len(extra))
        return 0.0 if s_p + s_r == 0 else 2 * s_p * s_r / (s_p + s_r)

    every = f_one(set(range(len(units))), set(range(len(reference))))
    described = f_one(
        {place for place, one in enumerate(units) if is_descriptive(one)},
        {place for place, one in enumerate(reference) if is_descriptive(one)},
    )
    return 0.5 * (every + described)


some_units = st.lists(st.sampled_from(ATTRIBUTES).map(unit), max_size=8)


@given(some_units, some_units, st.data())
def test_scores_agree_with_an_independent_transcription(
    units: list[Unit], reference: list[Unit], data: st.DataObject
) -> None:
    verified = data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units)))
    pairs = [Match(p, o) for p in range(len(units)) for o in range(len(reference))]
    matches = data.draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    scores = emosura(units, verified, reference, matches)
    try:
        expected = transcribed(units, verified, reference, matches)
    except ZeroDivisionError:
        assert math.isnan(scores.final.value)
        assert scores.final.reason
        return
    assert scores.final.value == pytest.approx(expected, abs=1e-12)


@given(some_units, st.data())
def test_verifying_one_more_unit_never_lowers_a_score(units: list[Unit], data: st.DataObject) -> None:
    verified = data.draw(st.lists(st.booleans(), min_size=len(units), max_size=len(units)))
    if False not in verified:
        return
    matches = {Match(place, place) for place in range(0, len(units), 2)}
    better = list(verified)
    better[verified.index(False)] = True
    before, after = emosura(units, verified, units, matches), emosura(units, better, units, matches)
    for name, score in before.by_name().items():
        if score.is_defined:
            assert after.by_name()[name].value >= score.value - 1e-12
