"""Scores against people: every figure is derived from numbers that are given here."""

import math

import pytest

from aptone.errors import UsageError
from aptone.rooms.dialogue.bench import validate
from aptone.types import Entry, Item, Json, Outcome, Score, State


def entry(name: str, ers: float, *, system: str = "s", across: float | None = None, repeat: int = 0) -> Entry:
    scores = {"ERS": Score(ers)} | ({} if across is None else {"CT-ERS": Score(across)})
    turns: list[Json] = [{}] * (1 if across is None else 2)
    return Entry(
        Item.make(name, {"ids": {"system": system}}),
        Outcome(State.DONE, scores, evidence={"exchanges": turns}),
        repeat=repeat,
    )


def test_ratings_on_one_line_with_a_score_correlate_perfectly_with_it() -> None:
    entries = [entry(str(n), n / 10) for n in range(6)]
    found = validate(entries, {str(n): 1 + n / 2 for n in range(6)})
    (one,) = found.correlations
    assert (one.system, one.score) == ("", "ERS")
    assert [one.linear.value, one.by_rank.value] == pytest.approx([1.0, 1.0])
    assert one.linear.count == 6


def test_flattery_is_the_score_minus_the_rating_from_0_to_1() -> None:
    entries = [entry("a", 0.9), entry("b", 0.7)]
    found = validate(entries, {"a": 3.0, "b": 2.0}, scale=(1.0, 5.0))
    # (0.9 - 0.5 + 0.7 - 0.25) / 2
    assert found.flattery[0].difference.value == pytest.approx(0.425)


def test_systems_are_told_apart_and_together() -> None:
    entries = [entry(f"{system}{n}", n / 10, system=system) for system in "xy" for n in range(4)]
    ratings = {f"x{n}": 1.0 + n for n in range(4)} | {f"y{n}": 5.0 - n for n in range(4)}
    found = validate(entries, ratings)
    by_system = {one.system: one.linear.value for one in found.correlations}
    assert by_system == {"": pytest.approx(0.0, abs=1e-9), "x": pytest.approx(1.0), "y": pytest.approx(-1.0)}


def test_the_drop_is_one_turn_minus_several() -> None:
    entries = [entry("a", 0.8), entry("b", 0.6), entry("c", 0.9, across=0.5), entry("d", 0.9, across=0.3)]
    found = validate(entries, {"a": 5.0, "b": 5.0, "c": 3.0, "d": 1.0})
    drops = {one.score: one.difference.value for one in found.drops}
    assert drops == {"ERS": pytest.approx(0.7 - 0.4), "people": pytest.approx(1.0 - 0.25)}


def test_the_drop_from_a_single_dialogue_has_no_interval() -> None:
    entries = [entry("a", 0.8), entry("c", 0.9, across=0.5), entry("d", 0.9, across=0.3)]
    (alone,) = validate(entries, {}).drops
    assert alone.difference.value == pytest.approx(0.8 - 0.4)
    assert math.isnan(alone.difference.low)
    assert alone.difference.count == 3
    (paired,) = validate([*entries, entry("b", 0.6)], {}).drops
    assert not math.isnan(paired.difference.low)


def test_without_ratings_only_the_drop_of_the_scores_is_told() -> None:
    found = validate([entry("a", 0.8), entry("c", 0.9, across=0.5)], {})
    assert (found.correlations, found.flattery, len(found.drops)) == ((), (), 1)
    assert validate([entry("a", 0.8)], {}).drops == ()


def test_a_dialogue_that_failed_is_neither_one_turn_nor_several() -> None:
    failed = Entry(Item.make("z", {"ids": {"system": "s"}}), Outcome(State.FAILED, reason="no answer"))
    assert validate([entry("c", 0.9, across=0.5), failed], {"c": 3.0, "z": 5.0}).drops == ()
    # with a dialogue of one turn there is a drop, in which the failed one's rating does not count: 3 - 3
    drops = validate([entry("a", 0.8), entry("c", 0.9, across=0.5), failed], {"a": 3.0, "c": 3.0, "z": 5.0}).drops
    assert {one.score: one.difference.value for one in drops} == {"ERS": pytest.approx(0.3), "people": 0.0}


def test_repeats_and_dialogues_without_a_rating_are_left_out() -> None:
    entries = [entry("a", 0.5), entry("a", 0.1, repeat=1), entry("b", 0.7)]
    found = validate(entries, {"a": 3.0})
    assert found.flattery[0].difference.value == pytest.approx(0.0)
    assert math.isnan(found.correlations[0].linear.value)


def test_a_rating_outside_its_scale_is_refused() -> None:
    with pytest.raises(UsageError, match="the rating of 'a' is 7, outside 1 to 5; say --rating-scale"):
        validate([entry("a", 0.5)], {"a": 7.0})
    with pytest.raises(UsageError, match="lower and a higher end"):
        validate([], {}, scale=(5.0, 5.0))
