from itertools import pairwise, product

import pytest

from aptone.rooms.aptness.books import reading_path as module
from aptone.rooms.aptness.books.alignment import Pair, align
from aptone.rooms.aptness.books.reading_path import reading_path

LINES = ["the storm stood over the island", "get out of my house now", "nobody answered her that night"]
TEXT = " ".join(LINES).split()
STARTS = [0, 6, 12, 17]


def words_of(heard: str) -> list[tuple[str, str]]:
    """Each heard word with the word of the text that most of its sounds stand for; "-" for none."""
    tokens = heard.split()
    pairs = [pair for pair in align(TEXT, tokens) if TEXT[pair.text] == tokens[pair.heard]]
    way = reading_path(TEXT, STARTS, tokens, pairs)
    assert [step.heard for step in way.steps] == list(range(len(way.heard_word)))
    found = []
    for place, token in enumerate(tokens):
        own = [step.text for step in way.steps if way.heard_word[step.heard] == place]
        known = [TEXT[way.text_word[text]] for text in own if text >= 0]
        found.append((token, max(known, key=known.count) if 2 * len(known) >= len(own) else "-"))
    return found


def test_what_was_heard_as_it_stands_goes_straight_through() -> None:
    assert words_of(" ".join(TEXT)) == [(word, word) for word in TEXT]


def test_misheard_words_stand_for_those_that_they_sound_like() -> None:
    found = words_of(f"{LINES[0]} bet doubt off by mouse cow {LINES[2]}")
    assert found[6:12] == list(zip(["bet", "doubt", "off", "by", "mouse", "cow"], LINES[1].split(), strict=True))


def test_who_says_a_line_again_goes_back() -> None:
    assert words_of(f"{LINES[0]} {LINES[1]} {LINES[1]} {LINES[2]}")[6:18] == [
        (word, word) for word in (LINES[1] + " " + LINES[1]).split()
    ]


def test_what_is_not_in_the_text_is_beside_it() -> None:
    remark = "please buy vegetables tomorrow at seven sharp in chicago"
    found = words_of(f"{LINES[0]} {remark} {LINES[1]}")
    assert {text for _, text in found[6:-6]} == {"-"}
    assert found[-6:] == [(word, word) for word in LINES[1].split()]


def test_characters_of_mandarin_are_compared_as_they_are() -> None:
    text = list("他等了很久没有人来")
    way = reading_path(text, [0, 5, 9], list("他等了很久没有谁来"), [Pair(0, 0)])
    assert [step.text for step in way.steps if step.score > 0] == [0, 1, 2, 3, 4, 5, 6, 8]


def test_deciding_block_by_block_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{one}o{other}a{one}" for one, other in product("bdgklmnprst", "bdgklmnprst")]
    lines = [f"{LINES[number % 3]} {names[2 * number]} {names[2 * number + 1]}" for number in range(40)]
    text = " ".join(lines).split()
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.split()))
    pairs = [Pair(place, place) for place in range(len(text))]
    whole = reading_path(text, starts, text, pairs)
    monkeypatch.setattr(module, "BLOCK", 100)
    monkeypatch.setattr(module, "LAG", 60)
    pieces = reading_path(text, starts, text, pairs)
    assert pieces.steps == whole.steps
    assert all(other.text - one.text == 1 for one, other in pairwise(pieces.steps))


def test_without_words_there_is_no_way() -> None:
    assert reading_path([], [0], ["x"], []).steps == ()
    assert reading_path(["x"], [0, 1], [], []).steps == ()
