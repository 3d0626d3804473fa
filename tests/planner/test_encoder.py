"""Window of the encoder on a passage; text as numbered pieces with their places."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.models.text.built_in_embedder import Packed, unpack
from aptone.planner import encoder as encoder_module
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
    window_on,
)
from aptone.planner.passage import Passage
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
WORDS = st.sampled_from(["lantern", "whispered", "…", "“不”", "他低声说", "，", "\n", " ", "\u3000", "!", "x" * 700])


@pytest.mark.parametrize("language", LANGUAGES)
@given(before=st.lists(WORDS, max_size=1500), after=st.lists(WORDS, max_size=400))
@settings(deadline=None, max_examples=40)
def test_the_window_on_a_long_passage_is_that_of_all_its_pieces(
    language: Language, before: list[str], after: list[str]
) -> None:
    first, last = "".join(before), "".join(after)
    passage = Passage(f"{first}Go!{last}", len(first), len(first) + 3, "", ())
    cut = load_encoder(language).pieces.cut
    target, behind = (
        [Piece(piece.number, piece.start + at, piece.end + at) for piece in cut(text)]
        for text, at in (("Go!", len(first)), (last, len(first) + 3))
    )
    assert window_on(passage, load_encoder(language).pieces) == window(cut(first), target, behind)


def test_embeddings_are_those_of_all_pieces_unpacked_at_once() -> None:
    weights = Path(encoder_module.__file__).parent / "weights" / "pieces.en.npz"
    with np.load(weights) as arrays:
        whole = unpack(Packed(arrays["nibbles"], arrays["scales"]))
    encoder = load_encoder("en")
    for numbers in ([9, 5, 9], [5, 700, 20_000], [len(whole) - 1, 0]):
        assert np.array_equal(encoder.embedded(numbers), whole[numbers])


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
