"""What may still be begun, by hand-computed cases."""

import math

import pytest

from aptone.run import Budget
from aptone.run.progress import Spending, countable
from tests.tables import for_each


@for_each("limits", [{"max_cost": -0.1}, {"max_cost": math.nan}, {"max_items": -1}, {"max_seconds": -1.0}])
def test_negative_or_undefined_limits_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="not negative"):
        Budget(**limits)  # type: ignore[arg-type]


def test_without_limits_everything_is_allowed() -> None:
    assert Spending(Budget()).allowed(100, seconds=1e9) == (100, "")


def test_items_are_allowed_up_to_their_limit() -> None:
    spending = Spending(Budget(max_items=5), begun=3)
    assert spending.allowed(2, seconds=0.0) == (2, "")
    assert spending.allowed(4, seconds=0.0) == (2, "--max-items 5 reached")
    spending.begun = 5
    assert spending.allowed(1, seconds=0.0) == (0, "--max-items 5 reached")


def test_nothing_is_begun_after_the_last_second() -> None:
    spending = Spending(Budget(max_seconds=2.5))
    assert spending.allowed(1, seconds=2.49) == (1, "")
    assert spending.allowed(1, seconds=2.5) == (0, "--max-seconds 2.5 reached")


def test_until_a_cost_is_known_items_are_begun_one_by_one() -> None:
    spending = Spending(Budget(max_cost=10.0))
    assert spending.allowed(8, seconds=0.0)[0] == 1
    spending.begun = 1
    assert spending.allowed(8, seconds=0.0)[0] == 0


def test_replies_from_the_cache_do_not_make_the_next_ones_look_free() -> None:
    spending = Spending(Budget(max_cost=10.0), begun=3, finished=3)
    assert spending.allowed(8, seconds=0.0)[0] == 1
    spending = Spending(Budget(max_cost=10.0), begun=5, finished=5, cost=2.0, paid=1)
    assert spending.allowed(8, seconds=0.0)[0] == 4  # (10 - 2) left / 2 a paid item


def test_what_is_under_way_is_set_aside() -> None:
    spending = Spending(Budget(max_cost=10.0), begun=4, finished=2, cost=4.0, paid=2)
    assert spending.allowed(8, seconds=0.0) == (1, "--max-cost 10 reached")  # 6 left / 2 each = 3, of which 2 under way


def test_costs_of_earlier_sessions_count_and_teach() -> None:
    spending = Spending(Budget(max_cost=10.0), cost_before=8.0, paid_before=4)
    assert spending.allowed(8, seconds=0.0)[0] == 1  # 2 left / 2 each
    spending = Spending(Budget(max_cost=10.0), cost_before=8.5, paid_before=4)
    assert spending.allowed(8, seconds=0.0)[0] == 0  # 1.5 left / 2.125 each
    spending = Spending(Budget(max_cost=10.0), cost_before=10.0, paid_before=5)
    assert spending.allowed(8, seconds=0.0) == (0, "--max-cost 10 reached")


def test_rounding_does_not_cost_the_last_item() -> None:
    spending = Spending(Budget(max_cost=0.3), begun=2, finished=2, cost=0.1 + 0.1, paid=2)
    assert (0.3 - 0.2) / 0.1 < 1  # 0.09999999999999998 / 0.1, in floats
    assert spending.allowed(1, seconds=0.0)[0] == 1


def test_no_money_means_nothing_is_begun() -> None:
    assert Spending(Budget(max_cost=0.0)).allowed(1, seconds=0.0) == (0, "--max-cost 0 reached")


def test_the_lower_of_two_limits_holds() -> None:
    # A batch of 8: 5 items are left of the limit on items, and the 6 that are left of the money pay for 3 at 2 each.
    spending = Spending(Budget(max_items=7, max_cost=10.0), begun=2, finished=2, cost=4.0, paid=2)
    assert spending.allowed(8, seconds=0.0) == (3, "--max-cost 10 reached")
    spending = Spending(Budget(max_items=4, max_cost=10.0), begun=2, finished=2, cost=4.0, paid=2)
    assert spending.allowed(8, seconds=0.0) == (2, "--max-items 4 reached")
    spending = Spending(Budget(max_items=7, max_cost=10.0))
    assert spending.allowed(8, seconds=0.0) == (1, "--max-cost 10 reached"), "one by one until a cost is known"


def test_costs_next_to_nothing_allow_everything() -> None:
    tiny = 5e-324  # the smallest float: half of it is 0, and no whole number holds 1 / it
    for paid in (1, 2):
        spending = Spending(Budget(max_cost=1.0), begun=paid, finished=paid, cost=tiny, paid=paid)
        assert spending.allowed(8, seconds=0.0) == (8, "")


@for_each("cost", [math.nan, math.inf, -1.0])
def test_what_cannot_be_added_up_does_not_count(cost: float) -> None:
    assert countable(cost) == 0.0
    assert countable(0.5) == 0.5
