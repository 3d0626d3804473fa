import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import UsageError
from aptone.rooms.aptness.build.report import (
    PortionSettings,
    calibration_lines,
    choose_portions,
    contiguous_portions,
    even_shares,
)
from tests.tables import for_each

lengths = some.lists(some.just(0.0) | some.floats(0.2, 30.0), max_size=60)


@given(some.lists(some.floats(0, 100), min_size=1, max_size=8), some.floats(0, 500))
def test_shares_are_even_and_no_more_than_there_is(available: list[float], wanted: float) -> None:
    shares = even_shares(available, wanted)
    assert sum(shares) == pytest.approx(min(wanted, sum(available)))
    largest = max(shares)
    for share, own in zip(shares, available, strict=True):
        assert share <= own + 1e-9
        assert share == pytest.approx(own) or share == pytest.approx(largest)


@given(lengths, some.floats(1, 400), some.floats(1, 120), some.integers(0, 9))
def test_portions_are_contiguous_apart_and_no_longer_than_they_may_be(
    seconds: list[float], wanted: float, longest: float, seed: int
) -> None:
    portions = contiguous_portions(seconds, wanted=wanted, longest=longest, seed=seed)
    taken = [sum(seconds[place] for place in part) for part in portions]
    assert sum(taken) <= wanted + 1e-3
    for part, length in zip(portions, taken, strict=True):
        assert length <= longest + 1e-3 or len([place for place in part if seconds[place]]) == 1
        assert seconds[part[0]] > 0
        assert seconds[part[-1]] > 0
    assert all(one.stop <= other.start for one, other in pairwise(portions))


@given(lengths, some.floats(30, 60))
def test_all_of_a_work_is_taken_where_all_is_wanted(seconds: list[float], longest: float) -> None:
    portions = contiguous_portions(seconds, wanted=math.inf, longest=longest, seed=0)
    taken = [place for part in portions for place in part if seconds[place]]
    assert taken == [place for place, own in enumerate(seconds) if own]


def test_hours_come_evenly_from_all_works_in_portions() -> None:
    # an hour from a work of 100 lines of 30 s and one of 20: 20 lines are 10 min, so the other gives 50 min in 5 parts
    works = [[30.0] * 300, [30.0] * 20]
    first, second = choose_portions(works, PortionSettings(hours=1.0, portion_minutes=10.0))
    assert [len(part) for part in first] == [20] * 5
    assert second == [range(20)]


def test_without_hours_one_portion_of_every_work_or_all_of_it() -> None:
    works = [[30.0] * 300, [30.0] * 20]
    one, other = choose_portions(works, PortionSettings(portion_minutes=5.0))
    assert [len(part) for part in (*one, *other)] == [10, 10]
    assert choose_portions(works, PortionSettings()) == [[range(300)], [range(20)]]


def test_everybody_annotates_the_beginnings_and_never_more_than_half() -> None:
    works = [[30.0] * 40, [0.0, *[30.0] * 40]]
    portions = [[range(10, 20), range(30, 40)], [range(1, 21)]]
    # 5 minutes evenly from two works: 2.5 min are 5 lines
    assert calibration_lines(works, portions, minutes=5.0) == [[10, 11, 12, 13, 14], [1, 2, 3, 4, 5]]
    all_of_it = calibration_lines(works, portions, minutes=1000.0)
    assert [len(own) for own in all_of_it] == [10, 10]  # of 20 and 20
    assert calibration_lines(works, portions, minutes=0.0) == [[], []]


@for_each("given", [{"hours": 0.0}, {"portion_minutes": -1.0}, {"calibration_minutes": math.inf}])
def test_what_is_no_amount_is_refused(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="--"):
        PortionSettings(**given)  # type: ignore[arg-type]
