from aptone.rooms.aptness.books.reading_path import Step
from aptone.rooms.aptness.books.takes import Take, choose_takes, edge_of


def take(line: int, begin: int, end: int, *, whole: bool = True, joined: bool = True) -> Take:
    """A take that was heard sound by sound."""
    steps = [Step(place - begin, place, 1.0) for place in range(begin, end + 1)]
    return Take(line, steps, score=float(len(steps)), is_whole=whole, is_joined=joined)


def chosen(*takes: Take, sounds: list[int]) -> dict[int, int]:
    """Where the take of each line begins."""
    return {line: one.begin for line, one in choose_takes(takes, sounds).items()}


def test_the_last_whole_take_of_a_line_counts() -> None:
    assert chosen(take(0, 0, 9), take(1, 10, 19), take(1, 20, 29), take(2, 30, 39), sounds=[10] * 3) == {
        0: 0,
        1: 20,
        2: 30,
    }


def test_a_part_of_a_line_counts_less_than_the_whole() -> None:
    assert chosen(take(0, 0, 9), take(0, 10, 15, whole=False), take(1, 20, 29), sounds=[10, 10]) == {0: 0, 1: 20}


def test_a_quotation_beside_the_text_counts_less_than_a_take_in_its_place() -> None:
    assert chosen(take(0, 0, 9), take(0, 40, 49, joined=False), take(1, 60, 69), sounds=[10, 10]) == {0: 0, 1: 60}


def test_takes_are_in_the_order_of_the_text_with_as_much_of_it_as_can_be() -> None:
    # Line 2 is quoted before lines 0 and 1 are read: taking it there would cost both.
    assert chosen(take(2, 0, 9), take(0, 20, 29), take(1, 30, 39), sounds=[10, 10, 10]) == {0: 20, 1: 30}


def test_a_quarter_of_a_long_line_may_be_missing_at_an_end_and_nothing_of_a_word_or_two() -> None:
    assert [edge_of(words) for words in (1, 2, 3, 8, 20)] == [0, 0, 2, 2, 5]
