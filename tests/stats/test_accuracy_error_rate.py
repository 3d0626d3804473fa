import math

from hypothesis import given
from hypothesis import strategies as st

from aptone.stats.accuracy import edit_distance, error_rate

WORDS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


def distance(one: list[str], other: list[str]) -> int:
    """The definition, word for word."""
    if not one or not other:
        return len(one) + len(other)
    return min(
        distance(one[1:], other) + 1, distance(one, other[1:]) + 1, distance(one[1:], other[1:]) + (one[0] != other[0])
    )


@given(WORDS, WORDS)
def test_the_rate_is_the_edit_distance_by_its_definition(reference: list[str], heard: list[str]) -> None:
    if reference:
        assert error_rate(reference, heard) == distance(reference, heard) / len(reference)
    else:
        assert math.isnan(error_rate(reference, heard))


def test_more_than_everything_can_be_wrong() -> None:
    assert error_rate(["yes"], ["no", "no", "no"]) == 3.0  # one replaced, two put in


@given(WORDS, WORDS)
def test_the_distance_by_bits_is_the_one_of_the_definition_both_ways(one: list[str], other: list[str]) -> None:
    assert edit_distance(one, other) == edit_distance(other, one) == distance(one, other)


def test_texts_of_thousands_of_characters_are_compared_exactly() -> None:
    assert edit_distance("ab" * 4000, "ba" * 4000) == 2  # the first a goes, and comes back at the end
    assert edit_distance("ab" * 4000, "") == 8000
