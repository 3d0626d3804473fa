"""States of the encoder's lower layers: what they are of, and what they do not depend on."""

import numpy as np
import pytest

from aptone.planner.encoder import LONGEST, MARKS, load_encoder
from aptone.planner.states import LONGEST_FIRST, LONGEST_SECOND, read_pair, shortened
from aptone.types import Language

QUESTION, ANSWER = "Where is my parcel?", "It left the depot this morning."


@pytest.mark.parametrize(
    ("language", "first", "second"), [("en", QUESTION, ANSWER), ("zh", "我的包裹在哪里？", "今天早上已经发出了。")]
)
def test_every_piece_of_two_texts_has_a_state(language: Language, first: str, second: str) -> None:
    pieces = load_encoder(language).pieces
    before, target = len(pieces.cut(first)), len(pieces.cut(second))
    pair = read_pair(first, second, language)
    assert pair.values.shape == (before + target + 4, 384)  # four marks
    assert pair.opened == before + 1
    assert pair.inside.sum() == target
    assert not pair.inside[: pair.opened + 1].any()
    assert np.isfinite(pair.values).all()


def test_states_are_the_same_alone_and_after_others_and_mind_the_order_of_words() -> None:
    first = read_pair(QUESTION, ANSWER, "en").values
    read_pair("Something else entirely.", "Quite so.", "en")
    assert np.array_equal(read_pair(QUESTION, ANSWER, "en").values, first)
    mixed = read_pair(QUESTION, "Morning this the depot left it.", "en").values
    assert mixed.shape == first.shape
    assert np.abs(mixed - first).max() > 0.1


def test_long_texts_keep_their_beginning_and_their_end() -> None:
    assert shortened(range(9), 6) == [0, 1, 2, 3, 7, 8]
    pair = read_pair(" ".join(["why"] * 300), " ".join(["so"] * 900), "en")
    assert len(pair.values) == LONGEST_FIRST + LONGEST_SECOND + 4
    assert len(pair.values) <= LONGEST
    assert len(MARKS) == 8
