from aptone.rooms.aptness.books.alignment import align
from aptone.rooms.aptness.books.takes import last_takes

LINES = ["the storm stood over the island", "get out of my house now", "nobody answered her that night"]


def takes(said: str) -> list[int]:
    """The heard words that stand for the second line."""
    text = " ".join(LINES).split()
    heard = said.split()
    pairs = last_takes(align(text, heard), text, heard, [0, 6, 12, 17])
    return [pair.heard for pair in pairs if 6 <= pair.text < 12]


def test_the_last_whole_take_of_a_line_counts() -> None:
    assert takes(f"{LINES[0]} {LINES[1]} {LINES[1]} {LINES[2]}") == [12, 13, 14, 15, 16, 17]


def test_a_false_start_is_left_behind() -> None:
    assert takes(f"{LINES[0]} get out of my sorry {LINES[1]} {LINES[2]}") == [11, 12, 13, 14, 15, 16]


def test_a_line_that_was_said_once_keeps_its_misheard_words() -> None:
    assert takes(f"{LINES[0]} get doubt of by house cow {LINES[2]}") == [6, 7, 8, 9, 10, 11]
