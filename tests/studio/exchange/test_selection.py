"""Active selection: small leads and wide intervals come first, and the numbers are those of the formula."""

import math

import pytest

from aptone.studio.exchange.selection import Judged, closest_pair, judged, widest_first, wrong_order
from aptone.types import Entry, Item, Outcome, Score, State


def entry(name: str, *values: float, spread: float = math.nan) -> list[Entry]:
    item = Item.make(name, {})
    scores = [Score(value, range=(0.0, 5.0), spread=spread) for value in values]
    return [
        Entry(item, Outcome(State.DONE, {"main": score}), repeat=number) for number, score in enumerate(scores)
    ] or [Entry(item, Outcome.failed("no reply"))]


def test_a_clear_lead_is_wrong_with_two_and_a_half_percent_and_equals_are_a_coin_toss() -> None:
    assert wrong_order(Judged("a", 4.0), Judged("b", 3.5)) == pytest.approx(0.025, abs=1e-4)  # Φ(-1.96)
    assert wrong_order(Judged("a", 4.0), Judged("b", 4.0)) == 0.5


def test_wide_intervals_make_the_same_lead_less_sure() -> None:
    # √(0.3² + 0.4² + (0.5/1.96)²) = 0.5612, Φ(-0.5/0.5612) = 0.1865
    assert wrong_order(Judged("a", 4.0, 0.3), Judged("b", 3.5, 0.4)) == pytest.approx(0.1865, abs=1e-4)


def test_deviation_joins_the_judges_own_spread_and_that_of_its_repeats() -> None:
    found = judged(entry("a", 2.0, 4.0, spread=0.75), score="main")
    # repeats: deviation √2, over √2 repeats is 1; with 0.75: √(1 + 0.5625) = 1.25
    assert found.score == 3.0
    assert found.deviation == pytest.approx(1.25)
    assert math.isnan(judged(entry("a"), score="main").score)


def test_the_closest_pair_of_a_line_is_taken_and_of_equals_the_higher() -> None:
    takes = [Judged("low", 1.0), Judged("mid", 1.1), Judged("top", 4.0), Judged("none", math.nan)]
    pair = closest_pair(takes)
    assert pair is not None
    assert [one.id for one in pair] == ["mid", "low"]
    equal = closest_pair([Judged("a", 1.0), Judged("b", 2.0), Judged("c", 3.0)])
    assert equal is not None
    assert [one.id for one in equal] == ["c", "b"]
    assert closest_pair([Judged("a", 1.0), Judged("none", math.nan)]) is None


def test_single_items_come_by_the_width_of_their_intervals_and_unscored_ones_last() -> None:
    items = [Judged("sure", 3.0, 0.1), Judged("none", math.nan, 9.0), Judged("unsure", 3.0, 0.9), Judged("plain", 1.0)]
    assert [one.id for one in widest_first(items)] == ["unsure", "sure", "plain", "none"]
