import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.report.unscored import LONGEST_REASON, count_reasons, group_by_reason, most_frequent_first, shorten_reason
from tests.tables import for_each


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
