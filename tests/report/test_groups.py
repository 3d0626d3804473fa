import math
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.report.groups import MOST_GROUPS, group_by, group_keys
from aptone.types import Entry, Item, Json, Outcome, Score, State

MakeEntry = Callable[..., Entry]


def _in(make_entry: MakeEntry, name: str, value: float | None, **ids: Json) -> Entry:
    return make_entry(name, value, payload={"ids": ids})


def test_keys_with_several_shared_values_group_the_items(make_entry: MakeEntry) -> None:
    entries = [
        _in(make_entry, f"{index}", 1.0, story="one", system="ab"[index % 2], take=str(index), n=index // 2)
        for index in range(4)
    ]
    # story has one value; every take is of one item only
    assert group_keys(entries) == ["n", "system"]


def test_a_key_with_too_many_values_tells_items_apart_not_groups(make_entry: MakeEntry) -> None:
    def entries(values: int) -> list[Entry]:
        return [_in(make_entry, f"{index}", 1.0, chapter=str(index % values)) for index in range(2 * values)]

    assert group_keys(entries(MOST_GROUPS)) == ["chapter"]
    assert group_keys(entries(MOST_GROUPS + 1)) == []


@pytest.mark.parametrize("ids", [None, [], "story", {"story": ["x"]}, {"story": ""}])
def test_ids_that_are_no_names_group_nothing(make_entry: MakeEntry, ids: Json) -> None:
    entries = [make_entry(name, 1.0, payload={"ids": ids}) for name in "ab"]
    assert group_keys(entries) == []
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
