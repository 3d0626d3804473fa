"""Window of the encoder on a passage; text as numbered pieces with their places."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.planner.encoder import (
    BREAK,
    CLOSE,
    LONGEST,
    LONGEST_AFTER,
    LONGEST_TARGET,
    MARKS,
    OPEN,
    UNKNOWN,
    EnglishPieces,
    MandarinPieces,
    Piece,
    load_encoder,
    window,
)
from aptone.types import Language


def pieces(count: int) -> list[Piece]:
    return [Piece(100, place, place + 1) for place in range(count)]


def test_a_window_is_never_longer_than_the_encoder_reads_and_keeps_what_is_nearest() -> None:
    seen = window(pieces(1000), pieces(200), pieces(300))
    assert len(seen.numbers) == len(seen.places) == LONGEST
    assert seen.closed - seen.opened - 1 == LONGEST_TARGET
    assert len(seen.numbers) - seen.closed - 2 == LONGEST_AFTER
    assert seen.places[seen.opened - 1] == (999, 1000)


def test_the_marks_stand_around_the_target() -> None:
    seen = window(pieces(3), pieces(2), pieces(1))
    assert seen.numbers[seen.opened] == MARKS.index(OPEN)
    assert seen.numbers[seen.closed] == MARKS.index(CLOSE)
    assert seen.numbers[seen.opened + 1 : seen.closed] == (100, 100)


LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(max_size=200))
@settings(deadline=None)
def test_every_piece_lies_where_it_says_and_in_order(language: Language, text: str) -> None:
    edge = 0
    for piece in load_encoder(language).pieces.cut(text):
        assert 0 <= piece.start < piece.end <= len(text)
        assert piece.start >= edge or piece.end == edge  # pieces of one word share its place
        edge = piece.end


def test_a_mark_in_a_text_is_only_text() -> None:
    pieces = EnglishPieces([*MARKS, "cls", "[", "]", "open"])
    numbers = [piece.number for piece in pieces.cut("[CLS] [OPEN]")]
    assert MARKS.index("[OPEN]") not in numbers
    assert numbers == [9, 8, 10, 9, 11, 10]


def test_paragraphs_are_parted_and_unknown_words_have_a_number() -> None:
    pieces = EnglishPieces([*MARKS, "go"])
    assert [piece.number for piece in pieces.cut("go\nxyz")] == [8, MARKS.index(BREAK), MARKS.index(UNKNOWN)]


def test_traditional_characters_count_as_simplified_ones() -> None:
    words = MandarinPieces([*MARKS, "说", "话", "说话"], [0.0] * 8 + [4.0, 4.0, 5.0])
    assert words.cut("說話") == words.cut("说话")
