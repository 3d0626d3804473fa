"""Pairs of texts as input of the encoder's layers: what they hold, and what they do not depend on."""

import numpy as np
import pytest

from aptone.planner.encoder import LONGEST, MARKS, load_encoder
from aptone.planner.pairs import LONGEST_FIRST, LONGEST_SECOND, input_revision, read_pair, shortened
from aptone.types import Language

QUESTION, ANSWER = "Where is my parcel?", "It left the depot this morning."


@pytest.mark.parametrize(
    ("language", "first", "second"), [("en", QUESTION, ANSWER), ("zh", "我的包裹在哪里？", "今天早上已经发出了。")]
)
def test_every_piece_of_two_texts_has_an_embedding(language: Language, first: str, second: str) -> None:
    pieces = load_encoder(language).pieces
    before, target = len(pieces.cut(first)), len(pieces.cut(second))
    pair = read_pair(first, second, language)
    assert pair.embedded.shape == (before + target + 4, 384)  # four marks
    assert pair.opened == before + 1
    assert pair.inside.sum() == target
    assert not pair.inside[: pair.opened + 1].any()
    assert np.isfinite(pair.embedded).all()


def test_pairs_are_the_same_alone_and_after_others_and_mind_the_order_of_words() -> None:
    first = read_pair(QUESTION, ANSWER, "en").embedded
    read_pair("Something else entirely.", "Quite so.", "en")
    assert np.array_equal(read_pair(QUESTION, ANSWER, "en").embedded, first)
    mixed = read_pair(QUESTION, "Morning this the depot left it.", "en").embedded
    assert mixed.shape == first.shape
    assert np.abs(mixed - first).max() > 0.01


def test_long_texts_keep_their_beginning_and_their_end() -> None:
    assert shortened(range(9), 6) == [0, 1, 2, 3, 7, 8]
    pair = read_pair(" ".join(["why"] * 300), " ".join(["so"] * 900), "en")
    assert len(pair.embedded) == LONGEST_FIRST + LONGEST_SECOND + 4
    assert len(pair.embedded) <= LONGEST
    assert len(MARKS) == 8


def test_the_revision_of_inputs_is_that_of_the_language() -> None:
    assert input_revision("en") == input_revision("en")
    assert input_revision("en") != input_revision("zh")
