import math

from hypothesis import given
from hypothesis import strategies as st

from aptone.stats.error_rate import error_rate

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


def distance(one: list[str], other: list[str]) -> int:
    """The definition, word for word."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        distance(one[1:], other) + 1,
        distance(one, other[1:]) + 1,
        distance(one[1:], other[1:]) + (one[0] != other[0]),
    )


@given(WORDS, WORDS)
def test_the_rate_is_the_edit_distance_by_its_definition(reference: list[str], heard: list[str]) -> None:
    if reference:
        assert error_rate(reference, heard) == distance(reference, heard) / len(reference)
    else:
        assert math.isnan(error_rate(reference, heard))


def test_more_than_everything_can_be_wrong() -> None:
    assert error_rate(["yes"], ["no", "no", "no"]) == 3.0  # one replaced, two put in
