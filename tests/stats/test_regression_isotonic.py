import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError
from aptone.stats import isotonic

NUMBERS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 5)).map(lambda pair: (float(pair[0]), float(pair[1]))),
    min_size=1,
    max_size=6,
)


def step_error(knots: tuple[tuple[float, float], ...], pairs: list[tuple[float, float]]) -> float:
    """Squared error of the step function behind the knots: each distinct x takes the value of its pool."""
    values = fitted_values(knots, pairs)
    return sum((values[x] - y) ** 2 for x, y in pairs)


def fitted_values(knots: tuple[tuple[float, float], ...], pairs: list[tuple[float, float]]) -> dict[float, float]:
    """Pools cover the distinct x in order; the mean x of the items of a pool is its knot."""
    distinct = sorted({x for x, _ in pairs})
    values: dict[float, float] = {}
    rest = list(distinct)
    for place, value in knots:
        taken: list[float] = []
        while rest:
            taken.append(rest.pop(0))
            inside = [x for x, _ in pairs if x in taken]
            if abs(sum(inside) / len(inside) - place) < 1e-9:
                break
        values |= dict.fromkeys(taken, value)
    assert not rest
    return values


def best_error(pairs: list[tuple[float, float]]) -> float:
    """The least error of all ways to pool neighbouring x whose means never fall."""
    distinct = sorted({x for x, _ in pairs})
    best = float("inf")
    for cuts in itertools.product([False, True], repeat=len(distinct) - 1):
        pools: list[list[float]] = [[distinct[0]]]
        for x, cut in zip(distinct[1:], cuts, strict=True):
            pools.append([x]) if cut else pools[-1].append(x)
        means = [float(np.mean([y for x, y in pairs if x in pool])) for pool in pools]
        if all(a <= b + 1e-12 for a, b in itertools.pairwise(means)):
            value = {x: mean for pool, mean in zip(pools, means, strict=True) for x in pool}
            best = min(best, sum((value[x] - y) ** 2 for x, y in pairs))
    return best


@given(pairs=NUMBERS)
def test_no_other_never_falling_steps_have_a_smaller_error(pairs: list[tuple[float, float]]) -> None:
    knots = isotonic([x for x, _ in pairs], [y for _, y in pairs])
    assert [y for _, y in knots] == sorted(y for _, y in knots)
    assert step_error(knots, pairs) == pytest.approx(best_error(pairs), abs=1e-9)


def test_items_without_a_number_are_left_out() -> None:
    assert isotonic([1, 2, None], [1, 2, 3]) == ((1.0, 1.0), (2.0, 2.0))


def test_nothing_to_fit_is_an_error() -> None:
    with pytest.raises(RecordError, match="at least one complete item"):
        isotonic([None], [1])
