import math
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.report.groups import (
    LONGEST_REASON,
    MOST_GROUPS,
    count_reasons,
    group_by,
    group_by_reason,
    most_frequent_first,
    shorten_reason,
)
from aptone.report.score_columns import gather_columns
from aptone.types import Entry, Item, Json, Outcome, Score, State
from tests.tables import for_each

MakeEntry = Callable[..., Entry]


def _in(make_entry: MakeEntry, name: str, value: float | None, **ids: Json) -> Entry:
    return make_entry(name, value, payload={"ids": ids})


def test_keys_with_several_shared_values_group_the_items(make_entry: MakeEntry) -> None:
    entries = [
        _in(make_entry, f"{index}", 1.0, story="one", system="ab"[index % 2], take=str(index), n=index // 2)
        for index in range(4)
    ]
    # story has one value; every take is of one item only
    assert gather_columns(entries, "aptness").group_keys() == ["n", "system"]


def test_a_key_with_too_many_values_tells_items_apart_not_groups(make_entry: MakeEntry) -> None:
    def entries(values: int) -> list[Entry]:
        return [_in(make_entry, f"{index}", 1.0, chapter=str(index % values)) for index in range(2 * values)]

    assert gather_columns(entries(MOST_GROUPS), "aptness").group_keys() == ["chapter"]
    assert gather_columns(entries(MOST_GROUPS + 1), "aptness").group_keys() == []


@pytest.mark.parametrize("ids", [None, [], "story", {"story": ["x"]}, {"story": ""}])
def test_ids_that_are_no_names_group_nothing(make_entry: MakeEntry, ids: Json) -> None:
    entries = [make_entry(name, 1.0, payload={"ids": ids}) for name in "ab"]
    assert gather_columns(entries, "aptness").group_keys() == []
    assert group_by(entries, "story", score="aptness").without == 2


def test_each_group_has_its_mean_count_and_interval_the_best_first(make_entry: MakeEntry) -> None:
    entries = [_in(make_entry, f"l{index}", value, system="low") for index, value in enumerate((1.0, 2.0))]
    entries += [_in(make_entry, f"h{index}", value, system="high") for index, value in enumerate((3.0, 4.0, None))]
    entries += [_in(make_entry, "n", None, system="none"), make_entry("w", 5.0)]
    grouping = group_by(entries, "system", score="aptness")
    assert [(group.name, group.items, group.mean.count) for group in grouping.groups] == [
        ("high", 3, 2),
        ("low", 2, 2),
        ("none", 1, 0),
    ]
    high = grouping.groups[0].mean
    # a quarter of the resamples of two items draws 3 twice, another quarter 4 twice: the interval runs from 3 to 4
    assert (high.value, high.low, high.high) == (3.5, 3.0, 4.0)
    assert (grouping.without, grouping.scale) == (1, (0.0, 5.0))
    assert grouping == group_by(entries, "system", score="aptness")  # the seed is fixed


def test_the_lowest_comes_first_where_lower_is_better() -> None:
    entries = [
        Entry(
            Item.make(f"{index}", {"ids": {"system": name}}),
            Outcome(State.DONE, {"errors": Score(value, higher_is_better=False)}),
        )
        for index, (name, value) in enumerate((("a", 2.0), ("b", 1.0)))
    ]
    grouping = group_by(entries, "system", score="errors")
    assert [group.name for group in grouping.groups] == ["b", "a"]
    assert grouping.scale == (1.0, 2.0)  # an open scale runs over what is drawn
    assert math.isnan(grouping.groups[0].mean.low)  # one item has no interval


def test_without_a_number_there_is_no_scale(make_entry: MakeEntry) -> None:
    assert group_by([_in(make_entry, "a", None, system="x")], "system", score="aptness").scale is None


@pytest.mark.slow
@settings(derandomize=True, deadline=None)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=4))
def test_the_mean_of_any_finite_scores_lies_among_them(values: list[float]) -> None:
    entries = [
        Entry(Item(f"{index}", {"ids": {"k": "v"}}, ""), Outcome(State.DONE, {"s": Score(value)}))
        for index, value in enumerate(values)
    ]
    mean = group_by(entries, "k", score="s").groups[0].mean
    assert min(values) <= mean.value <= max(values)


def test_the_largest_floats_have_a_mean_and_an_interval() -> None:
    entries = [
        Entry(Item(f"{index}", {"ids": {"k": "v"}}, ""), Outcome(State.DONE, {"s": Score(sys.float_info.max)}))
        for index in range(7)
    ]
    mean = group_by(entries, "k", score="s").groups[0].mean
    assert mean.value == mean.low == mean.high == pytest.approx(sys.float_info.max)


def test_two_hundred_time_outs_make_one_row() -> None:
    reasons = [f"timed out after {30 + index / 10} s (request 8f3a{index:08x})" for index in range(200)]
    assert count_reasons(reasons) == {"timed out after … s (request …)": 200}


def test_status_codes_keep_failures_apart() -> None:
    assert count_reasons(["HTTP 429 after 3 tries", "HTTP 500 after 2 tries", "HTTP 429 after 1 tries"]) == {
        "HTTP 429 after … tries": 2,
        "HTTP 500 after 2 tries": 1,
    }


def test_a_reason_that_all_items_share_is_shown_in_full() -> None:
    assert count_reasons(["no score between 0 and 5"] * 3) == {"no score between 0 and 5": 3}


@for_each(
    ("reason", "shared"),
    [
        ("/data/a/b.wav: truncated", "…: truncated"),
        (r"C:\clips\x.wav: truncated", "…: truncated"),
        ('expected a number, got "four"', "expected a number, got …"),
        ("it isn't there and can't be made", "it isn't there and can't be made"),
        ("第3句没有分数", "第…句没有分数"),
        ("two\nlines", "two lines"),
    ],
)
def test_what_differs_from_item_to_item_is_left_out(reason: str, shared: str) -> None:
    assert shorten_reason(reason) == shared


@given(st.text(max_size=300))
def test_the_shared_part_shortens_to_itself_and_stays_short(reason: str) -> None:
    shared = shorten_reason(reason)
    assert shorten_reason(shared) == shared
    assert len(shared) <= LONGEST_REASON


@pytest.mark.slow
@given(st.lists(st.text(max_size=200), max_size=20))
def test_no_item_is_lost_in_counting(reasons: list[str]) -> None:
    assert sum(count_reasons(reasons).values()) == len(reasons)


def test_groups_keep_their_members_in_order_and_the_largest_comes_first() -> None:
    assert group_by_reason([("b", 1), ("a 1", 2), ("a 2", 3)]) == {"a …": [2, 3], "b": [1]}
    assert list(group_by_reason([("b", 1), ("a 1", 2), ("a 2", 3)])) == ["a …", "b"]


def test_equal_counts_are_ordered_by_name() -> None:
    assert list(most_frequent_first({"b": 1, "c": 2, "a": 1})) == ["c", "a", "b"]
