"""Balanced orders and tuples, counted out."""

import itertools
from collections import Counter

import pytest

from aptone.errors import UsageError
from aptone.ratings.designs import balanced_order, balanced_tuples, williams_square


@pytest.mark.parametrize("size", range(1, 13))
def test_in_a_williams_square_every_number_stands_equally_often_in_each_place_and_after_each_other(size: int) -> None:
    rows = williams_square(size)
    assert all(sorted(row) == list(range(size)) for row in rows)
    places = Counter((place, one) for row in rows for place, one in enumerate(row))
    assert set(places.values()) == {len(rows) // size}
    follows = Counter(pair for row in rows for pair in itertools.pairwise(row))
    # n (n - 1) ordered pairs, and each row has n - 1 neighbours
    assert set(follows.values()) == ({len(rows) // size} if size > 1 else set())
    assert len(follows) == size * (size - 1)


def test_a_square_without_a_size_is_refused() -> None:
    with pytest.raises(UsageError, match="from 1 upwards"):
        williams_square(0)


def test_within_a_block_of_turns_a_person_meets_each_order_of_a_pair_once() -> None:
    for person in "pqrs":
        orders = [balanced_order(["a", "b"], person=person, turn=turn, seed="s") for turn in range(20)]
        assert all(
            {first, second} == {("a", "b"), ("b", "a")} for first, second in zip(orders[::2], orders[1::2], strict=True)
        )


def test_across_people_the_first_order_is_a_fair_coin_that_is_thrown_once() -> None:
    drawn = [balanced_order(("x", "y"), person=str(n), turn=0, seed="s") for n in range(2000)]
    assert drawn == [balanced_order(("x", "y"), person=str(n), turn=0, seed="s") for n in range(2000)]
    # 2000 throws of a fair coin lie within 1000 ± 5 standard deviations of √500 = 22.4.
    assert 888 < sum(pair == ("x", "y") for pair in drawn) < 1112


def test_six_conditions_stand_in_each_place_once_in_six_turns() -> None:
    names = list("abcdef")
    for person in "pq":
        turns = [balanced_order(names, person=person, turn=turn, seed="s") for turn in range(6)]
        assert all(sorted(column) == names for column in zip(*turns, strict=True))
    first = [balanced_order(names, person=person, turn=0, seed="s") for person in map(str, range(50))]
    assert len(set(first)) > 3  # others begin with another row


@pytest.mark.parametrize(("systems", "size"), [(4, 4), (5, 4), (6, 3), (8, 4), (12, 4)])
def test_tuples_hold_systems_and_pairs_about_equally_often(systems: int, size: int) -> None:
    names = [f"s{number}" for number in range(systems)]
    count = 3 * systems
    found = balanced_tuples(names, size=size, count=count, seed=0)
    met = Counter(name for one in found for name in one)
    pairs = Counter(pair for one in found for pair in itertools.combinations(sorted(one), 2))
    assert max(met.values()) - min(met[name] for name in names) <= 1
    every = list(itertools.combinations(sorted(names), 2))
    assert max(pairs.values()) - min(pairs[pair] for pair in every) <= 3
    assert balanced_tuples(names, size=size, count=count, seed=0) == found


def test_a_tuple_cannot_hold_more_than_there_are() -> None:
    with pytest.raises(UsageError, match="2 to 3"):
        balanced_tuples(["a", "b", "c"], size=4, count=1, seed=0)
