"""Items by how far their raters lie apart, and ratings as tables."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.studio.agreement.items import complete_block, control_spread, disagreements, rating_table
from aptone.types import Choice, Control, Json, Rating, RatingItem, RatingTask
from tests.tables import for_each

LABEL = {"en": "?"}
SCORE = Control("score", "scale", LABEL, low=0, high=5, step=1)
TONE = Control("tone", "choice", LABEL, choices=(Choice("flat", LABEL), Choice("rising", LABEL)))
NOTE = Control("note", "text", LABEL)


@for_each(
    ("control", "answers", "expected"),
    [
        (SCORE, [1, 4, 2], 0.6),  # (4 - 1) / 5
        (SCORE, [1, None], None),
        (SCORE, [1, "4", True], None),
        (TONE, ["flat", "flat", "rising"], 1 / 3),
        (NOTE, ["calm", "quiet"], None),
        (Control("ends", "boundaries", LABEL), [[0, 2], [1, 2]], 0.5),
        (Control("ends", "boundaries", LABEL), [[0, 2]], None),
        (Control("text", "edit", LABEL, prefill="line"), ["Go.", "Go!"], 1 / 3),
        (Control("text", "edit", LABEL, prefill="line"), ["", "Go away from here."], 1.0),
        (Control("text", "edit", LABEL, prefill="line"), [["Go.", "Now."], "Go.\nNow."], 0.0),
        (Control("text", "edit", LABEL, prefill="line"), ["Go."], None),
    ],
)
def test_the_spread_of_answers(control: Control, answers: list[Json], expected: float | None) -> None:
    assert control_spread(control, answers) == pytest.approx(expected)


def test_the_furthest_apart_come_first_and_lone_ratings_and_tests_not_at_all() -> None:
    items = tuple(RatingItem(name) for name in ("near", "far", "lone", "check", "tied"))
    task = RatingTask("t", LABEL, LABEL, (), (SCORE, TONE, NOTE), items, attention=("check",))
    given = {
        "near": ((1, "flat"), (1, "flat")),
        "far": ((0, "flat"), (5, "flat")),
        "lone": ((3, "flat"),),
        "check": ((0, "flat"), (5, "flat")),
        "tied": ((0, "flat"), (5, "rising")),
    }
    ratings = [
        Rating("t", item, f"r{place}", {"score": score, "tone": tone, "note": "x"})
        for item, answers in given.items()
        for place, (score, tone) in enumerate(answers)
    ]
    found = disagreements(task, ratings, {"near": {"score": 2}})
    assert [one.item for one in found] == ["tied", "far", "near"]  # both differ by 1; the tie differs in tone, too
    assert found[0].controls == {"score": 1.0, "tone": 0.5}
    assert [one.adjudicated for one in found] == [False, False, True]
    assert [one.raters for one in found] == [2, 2, 2]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=7))
def test_the_block_has_no_gap_and_is_everything_where_nothing_is_missing(given_: list[list[bool]]) -> None:
    table = {
        f"i{row}": {rater: float(row) for rater, is_given in zip("abcd", marks, strict=True) if is_given}
        for row, marks in enumerate(given_)
    }
    table = {item: by for item, by in table.items() if by}
    if not table:
        return
    block = complete_block(rating_table(table))
    assert not np.isnan(block.table).any()
    assert block.table.shape == ((len(block.items), len(block.raters)) if block.raters else (0, 0))
    everybody = {rater for by in table.values() for rater in by}
    if len(table) > 1 and len(everybody) > 1 and all(set(by) == everybody for by in table.values()):
        assert (len(block.items), len(block.raters)) == (len(table), len(everybody))
    shared = [sum(set(pair) <= set(by) for by in table.values()) for pair in itertools.combinations("abcd", 2)]
    assert bool(block.raters) == (max(shared) >= 2)
    assert block.table.size >= (2 * max(shared) if max(shared) >= 2 else 0)
