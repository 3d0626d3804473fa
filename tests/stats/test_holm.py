import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.stats import holm

P_VALUES = st.lists(st.floats(0, 1), max_size=12)


def test_each_p_value_is_multiplied_by_the_tests_that_are_left() -> None:
    # sorted 0.005, 0.01, 0.03, 0.04: × 4, × 3, × 2, × 1 = 0.02, 0.03, 0.06, 0.04; the last may not fall below 0.06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_a_test_that_could_not_be_made_does_not_count_among_the_others() -> None:
    adjusted = holm([0.02, math.nan, 0.3])  # two tests: 2 × 0.02, 1 × 0.3
    assert adjusted[0] == 0.04
    assert math.isnan(adjusted[1])
    assert adjusted[2] == 0.3


def test_what_is_no_p_value_is_refused() -> None:
    with pytest.raises(ValueError, match=r"between 0 and 1, got 1\.5"):
        holm([0.1, 1.5])


@given(P_VALUES)
def test_no_p_value_gets_smaller_none_passes_one_and_their_order_stays(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(before <= after <= 1 for before, after in zip(values, adjusted, strict=True))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[place] for place in order] == sorted(adjusted)
