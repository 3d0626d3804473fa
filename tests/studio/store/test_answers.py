"""Validation of answers."""

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.answers import (
    EDIT_LENGTH,
    TEXT_LENGTH,
    blind_answers,
    checked_value,
    is_missing,
    is_plain,
    own_answer,
)
from aptone.types import Control, Json, dumps, loads
from tests.studio.studies import BETTER, FIT, SURE, item, preference_task
from tests.tables import for_each

FINE = Control("aptness", "scale", {}, low=0, high=5, step=0.1)
WORDS = Control("words", "text", {})
TIMES = Control("times", "boundaries", {})
TEXT_EDIT = Control("text", "edit", {}, prefill="line")
LINES_EDIT = Control("lines", "edit", {}, prefill="context")
RATED = Control("rated", "ratings", {}, low=0, high=100, step=1, prefill="pair")
RANKED = Control("ranked", "ranking", {}, prefill="pair")
EXTREMES = Control("extremes", "best-worst", {}, prefill="pair")
SETS = (RATED, RANKED, EXTREMES)
EDITED = preference_task().items[0]
ITEM = type(EDITED)(
    "i", audio=EDITED.audio, fields={"pair": ["new", "old"], "line": "Come in.", "context": ["He knocked.", "Come in."]}
)

GOOD: list[tuple[Control, Json, Json]] = [
    (FIT, 3, 3.0),
    (FIT, 0, 0.0),
    (FIT, 5.0, 5.0),
    (FINE, 0.1 + 0.2, 0.3),  # 0.30000000000000004 is meant to be the third step
    (FINE, 4.9, 4.9),
    (SURE, "yes", "yes"),
    (WORDS, "平静\nthen\tangry", "平静\nthen\tangry"),
    (TIMES, [0, 2], [0.0, 2.0]),
    (TIMES, [0.5, 2.05], [0.5, 2.0]),  # a browser that takes the clip for a little longer
    (TEXT_EDIT, "Come in!", "Come in!"),
    (LINES_EDIT, ["He knocks."], ["He knocks."]),
    (LINES_EDIT, [], []),
    (BETTER, "old", "old"),
    (BETTER, "same", "same"),
    (FIT, None, None),
    (RATED, {"new": 80, "old": 100.0}, {"new": 80.0, "old": 100.0}),
    (RATED, {"new": 80}, {"new": 80.0}),  # the others come later
    (RANKED, ["old", "new"], ["old", "new"]),
    (RANKED, ["old"], ["old"]),
    (EXTREMES, {"best": "old", "worst": "new"}, {"best": "old", "worst": "new"}),
    (EXTREMES, {"worst": "new"}, {"worst": "new"}),
]
BAD: list[tuple[Control, Json]] = [
    (FIT, 2.5),
    (FIT, -1),
    (FIT, 6),
    (FIT, "3"),
    (FIT, True),
    (FIT, math.inf),
    (FIT, 10**400),
    (FIT, [3]),
    (FINE, 0.15),
    (SURE, "maybe"),
    (SURE, 1),
    (WORDS, "a" * (TEXT_LENGTH + 1)),
    (WORDS, "a\x00b"),
    (WORDS, "\x1b[31m"),
    (WORDS, "\ud800"),
    (WORDS, 3),
    (TIMES, [1, 1]),
    (TIMES, [-0.1, 1]),
    (TIMES, [1, 2.2]),
    (TIMES, [2, 2.05]),
    (TIMES, [0, math.inf]),
    (TIMES, [0, 1, 2]),
    (TIMES, "0-1"),
    (TEXT_EDIT, ["Come in."]),
    (TEXT_EDIT, "a" * (EDIT_LENGTH + 1)),
    (LINES_EDIT, "He knocks."),
    (LINES_EDIT, ["a", 1]),
    (LINES_EDIT, ["a\x00"]),
    (LINES_EDIT, ["a" * (EDIT_LENGTH // 2 + 1)] * 2),
    (LINES_EDIT, [""] * 5001),
    (BETTER, "c0"),
    (BETTER, "tie"),
    (BETTER, ["old"]),
    (RATED, {"other": 3}),
    (RATED, {"new": 101}),
    (RATED, {"new": None}),
    (RATED, [80, 90]),
    (RANKED, ["old", "old"]),
    (RANKED, ["old", "other"]),
    (RANKED, ["old", 1]),
    (RANKED, "old"),
    (EXTREMES, {"best": "old", "worst": "old"}),
    (EXTREMES, {"best": "other"}),
    (EXTREMES, {"best": ["old"]}),
    (EXTREMES, {"middle": "old"}),
    (EXTREMES, ["old", "new"]),
]


@for_each(("control", "value", "stored"), GOOD)
def test_answers_are_stored_as_they_are_meant(control: Control, value: Json, stored: Json) -> None:
    assert checked_value(control, value, item=ITEM, seconds=2.0) == stored


@for_each(("control", "value"), BAD)
def test_what_is_no_answer_is_refused_with_the_name_of_the_control(control: Control, value: Json) -> None:
    with pytest.raises(NotAnAnswerError, match=control.name):
        checked_value(control, value, item=ITEM, seconds=2.0)


def test_same_is_an_answer_only_where_the_task_offers_it() -> None:
    strict = Control("better", "preference", {}, prefill="pair")
    with pytest.raises(NotAnAnswerError):
        checked_value(strict, "same", item=ITEM, seconds=2.0)


def test_times_have_no_upper_end_where_nothing_is_played() -> None:
    assert checked_value(TIMES, [0, 1e6], item=item("i"), seconds=math.nan) == [0.0, 1e6]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(control=st.sampled_from([FIT, FINE, SURE, WORDS, TIMES, TEXT_EDIT, LINES_EDIT, BETTER, *SETS]), value=anything)
def test_whatever_comes_is_refused_or_can_be_stored_and_is_its_own_answer(control: Control, value: Json) -> None:
    try:
        stored = checked_value(control, value, item=ITEM, seconds=2.0)
    except NotAnAnswerError:
        return
    again = loads(dumps(stored))
    assert again == stored
    assert checked_value(control, again, item=ITEM, seconds=2.0) == stored


@given(steps=st.integers(0, 50))
def test_every_step_of_a_fine_scale_is_an_answer_however_it_was_computed(steps: int) -> None:
    assert checked_value(FINE, steps * 0.1, item=ITEM, seconds=2.0) == checked_value(
        FINE, steps / 10, item=ITEM, seconds=2.0
    )


@for_each(
    ("control", "value", "missing"),
    [
        *((FIT, None, True), (FIT, 0.0, False), (WORDS, " \n", True), (SURE, None, False), (LINES_EDIT, [], True)),
        *((RATED, {"new": 80.0}, True), (RATED, {"new": 80.0, "old": 3.0}, False), (RATED, None, True)),
        *((RANKED, ["new"], True), (RANKED, ["new", "old"], False)),
        *((EXTREMES, {"best": "new"}, True), (EXTREMES, {"best": "new", "worst": "old"}, False)),
    ],
)
def test_what_is_required_may_not_be_empty(control: Control, value: Json, missing: bool) -> None:
    assert is_missing(control, value, ITEM) is missing


@for_each(
    ("control", "given", "stored"),
    [
        (RATED, {"c0": 3, "c1": 5}, {"old": 3, "new": 5}),
        (RANKED, ["c1", "c0"], ["new", "old"]),
        (EXTREMES, {"best": "c1"}, {"best": "new"}),
        (BETTER, "c1", "new"),
        (BETTER, "same", "same"),
    ],
)
def test_clips_of_an_answer_are_stored_by_their_own_names_and_shown_by_blind_ones(
    control: Control, given: Json, stored: Json
) -> None:
    blind = {"old": "c0", "new": "c1"}
    assert own_answer(control, given, blind) == stored
    task = replace(preference_task(), controls=(control,), items=(ITEM,))
    assert blind_answers(task, {control.name: stored}, blind) == {control.name: given}


@for_each(("control", "given"), [(RATED, {"new": 3}), (RANKED, ["new"]), (EXTREMES, {"best": "new"}), (BETTER, "new")])
def test_the_own_name_of_a_clip_is_no_answer(control: Control, given: Json) -> None:
    with pytest.raises(NotAnAnswerError, match=control.name):
        own_answer(control, given, {"old": "c0", "new": "c1"})


@given(st.text())
def test_plain_text_can_be_carried_by_utf8_and_holds_no_zero(text: str) -> None:
    if is_plain(text):
        assert "\0" not in text
        assert text.encode().decode() == text
    elif text.isprintable():
        raise AssertionError("what can be printed is plain")
