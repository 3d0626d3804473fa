import random
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aptone.rooms.aptness.books.alignment as module
from aptone.rooms.aptness.books.alignment import Pair, align, edit_pairs, longest_chain, tokens_of

FEW_WORDS = st.lists(st.sampled_from("abc"), max_size=24)


def cost(pairs: Sequence[Pair], text: Sequence[object], heard: Sequence[object]) -> int:
    """2 for each word without a partner, 3 for each pair that differs."""
    changed = sum(text[pair.text] != heard[pair.heard] for pair in pairs)
    return 2 * (len(text) + len(heard) - 2 * len(pairs)) + 3 * changed


def least_cost(text: Sequence[object], heard: Sequence[object]) -> int:
    """Levenshtein's recurrence with these costs, cell by cell."""
    row = list(range(0, 2 * len(heard) + 1, 2))
    for place, word in enumerate(text, start=1):
        above, row = row, [2 * place]
        for column, other in enumerate(heard):
            row.append(min(above[column] + 3 * (word != other), above[column + 1] + 2, row[column] + 2))
    return row[-1]


def is_forward(pairs: Sequence[Pair]) -> bool:
    return all(one.text < other.text and one.heard < other.heard for one, other in pairwise(pairs))


def codes(words: Sequence[str]) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    return np.array([ord(word) for word in words], dtype=np.int64)


@given(text=FEW_WORDS, heard=FEW_WORDS)
def test_no_way_is_cheaper(text: list[str], heard: list[str]) -> None:
    pairs = edit_pairs(codes(text), codes(heard))
    assert is_forward(pairs)
    assert cost(pairs, text, heard) == least_cost(text, heard)


@settings(deadline=None)
@given(text=FEW_WORDS, heard=FEW_WORDS)
def test_arrays_and_halving_find_ways_as_cheap_as_plain_loops(text: list[str], heard: list[str]) -> None:
    small, large = module.SMALL_TABLE, module.LARGEST_TABLE
    try:
        for module.SMALL_TABLE, module.LARGEST_TABLE in ((0, large), (0, 16), (small, 16)):
            pairs = edit_pairs(codes(text), codes(heard))
            assert is_forward(pairs)
            assert cost(pairs, text, heard) == least_cost(text, heard)
    finally:
        module.SMALL_TABLE, module.LARGEST_TABLE = small, large


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10**6), size=st.integers(0, 400))
def test_every_word_that_was_read_as_it_stands_is_found_where_words_are_left_out_and_added(
    seed: int, size: int
) -> None:
    """With words that stand once, there is only one right answer."""
    chance = random.Random(seed)
    text = [f"w{number}" for number in range(size)]
    heard, origin = [], []
    for number, word in enumerate(text):
        if chance.random() < 0.1:
            heard.append(f"added{number}")
            origin.append(-1)
        if chance.random() > 0.1:
            heard.append(word)
            origin.append(number)
    pairs = align(text, heard)
    assert is_forward(pairs)
    found = {pair.heard: pair.text for pair in pairs if text[pair.text] == heard[pair.heard]}
    assert found == {place: number for place, number in enumerate(origin) if number >= 0}


@settings(deadline=None, max_examples=50)
@given(text=st.lists(st.sampled_from("abcdefgh"), max_size=120), seed=st.integers(0, 10**6))
def test_a_text_that_comes_back_to_the_same_words_is_paired_nearly_as_well_as_can_be(
    text: list[str], seed: int
) -> None:
    chance = random.Random(seed)
    heard = [word if chance.random() > 0.1 else chance.choice("abcdefgh") for word in text if chance.random() > 0.05]
    pairs = align(text, heard)
    assert is_forward(pairs)
    # Anchors may cost an edit here and there: never more than a tenth of the words.
    assert cost(pairs, text, heard) <= least_cost(text, heard) + 2 * (len(text) // 10 + 2)


def test_a_chapter_that_nobody_read_and_a_speech_that_is_not_in_the_text_stay_without_partners() -> None:
    text = [f"a{n}" for n in range(50)] + [f"skipped{n}" for n in range(500)] + [f"b{n}" for n in range(50)]
    heard = [f"foreign{n}" for n in range(300)] + text[:50] + text[550:]
    pairs = align(text, heard)
    same = [pair for pair in pairs if text[pair.text] == heard[pair.heard]]
    assert [pair.text for pair in same] == [*range(50), *range(550, 600)]


def test_nothing_beside_something_is_nothing() -> None:
    assert align([], ["a"]) == align(["a"], []) == align([], []) == []


@given(st.lists(st.integers(0, 20), max_size=12, unique=True))
def test_the_chain_is_as_long_as_the_longest_that_goes_forward(heard: list[int]) -> None:
    pairs = [Pair(place, number) for place, number in enumerate(heard)]
    chain = longest_chain(pairs)
    assert is_forward(chain)
    lengths: list[int] = []  # of the longest chain that ends at each pair, by trying all that end before it
    for place, number in enumerate(heard):
        lengths.append(1 + max((lengths[before] for before in range(place) if heard[before] < number), default=0))
    assert len(chain) == max(lengths, default=0)


def test_a_long_book_with_large_stretches_that_differ_is_still_paired() -> None:
    """Stretches too large for one table are anchored by shorter runs."""
    chance = random.Random(1)
    text = [f"w{chance.randrange(3000)}" for _ in range(4000)]
    heard = [word if chance.random() > 0.45 else f"x{chance.randrange(3000)}" for word in text]
    pairs = align(text, heard)
    right = sum(pair.text == pair.heard for pair in pairs)  # every word was heard, if not always rightly
    assert is_forward(pairs)
    assert right > 0.99 * len(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It’s Tom's “own” — isn't it?", "its toms own isnt it"),
        ("21 men", "twenty one men"),
        ("twenty-one men", "twenty one men"),
        ("1,234,005 and 3.5%", "one million two hundred thirty four thousand five and three point five percent"),
        ("the 2nd, 3rd, 12th, 20th and 101st", "the second third twelfth twentieth and one hundred first"),
        ("agent 007, room 0", "agent zero zero seven room zero"),
        ("ＦＵＬＬ　ｗｉｄｔｈ", "full width"),
        ("12345678901234", "one two three four five six seven eight nine zero one two three four"),
        ("rock & roll", "rock and roll"),
    ],
)
def test_english_is_words_with_numbers_written_out(text: str, tokens: str) -> None:
    assert tokens_of(text, "en") == tokens.split()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("“走吧！”他说。", "走吧他说"),
        ("12个", "十二个"),
        ("两百零五", "二百零五"),
        ("205", "二百零五"),
        ("10086", "一万零八十六"),
        ("120003400", "一亿二千万三千四百"),
        ("3.14", "三点一四"),
        ("110", "一百一十"),
        ("0", "零"),
    ],
)
def test_mandarin_is_characters_with_numbers_written_out(text: str, tokens: str) -> None:
    assert "".join(tokens_of(text, "zh")) == tokens


def test_foreign_words_in_a_mandarin_text_stay_words() -> None:
    assert tokens_of("他叫Tom，对吧", "zh") == ["他", "叫", "tom", "对", "吧"]


@given(st.text(max_size=60))
def test_any_text_has_tokens_without_marks_or_spaces(text: str) -> None:
    for language in ("en", "zh"):
        for token in tokens_of(text, language):
            assert token
            assert not any(character.isspace() for character in token)


@given(st.integers(0, 10**12 - 1))
def test_a_number_with_and_without_its_commas_is_the_same(number: int) -> None:
    assert tokens_of(f"{number:,}", "en") == tokens_of(str(number), "en")
