"""Word counts: what they see of a passage, and what they make of it."""

import math
from collections import Counter

import numpy as np
import pytest

from aptone.planner.passage import Passage
from aptone.planner.word_counts import PLACES, VIEWS, WordCounts, counts, load_word_counts
from aptone.types import Language


def test_views_are_the_line_what_stands_near_and_what_stands_beside() -> None:
    passage = Passage("aa “bb bb” cc", 4, 9, "", ())
    line, near, beside = counts(passage, "en")
    assert sorted(line.values()) == [1, 2]  # bb twice, "bb bb" once
    assert sum(near.values()) == 4 + 3  # four words, three pairs
    assert sum(beside.values()) == 2 + 1


def test_mandarin_is_counted_by_one_two_and_three_characters() -> None:
    (line, *_) = counts(Passage("“快跑啊”", 1, 4, "", ()), "zh")
    assert sum(line.values()) == 3 + 2 + 1


def test_a_score_is_the_offset_and_the_normed_weights_of_its_places() -> None:
    passage = Passage("go", 0, 2, "", ())
    seen = counts(passage, "en")
    (place,) = seen[0]
    weights = np.zeros((VIEWS, PLACES, 2), dtype=np.float32)
    weights[0, place] = (1.0, 0.0)
    reader = WordCounts(np.ones((VIEWS, PLACES), dtype=np.float32), weights, np.zeros(2, dtype=np.float32), "en")
    # One place with norm 1: scores 1 and 0, so p = e / (e + 1).
    assert math.exp(reader.log_shares(passage)[0]) == pytest.approx(math.e / (math.e + 1.0))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_ships_gives_a_distribution_even_for_nothing(language: Language) -> None:
    reader = load_word_counts(language)
    for text in ("", "…", "Run!", "快跑！"):
        shares = np.exp(reader.log_shares(Passage(text, 0, len(text), "", ())))
        assert shares.sum() == pytest.approx(1.0)
    assert isinstance(counts(Passage("", 0, 0, "", ()), language)[0], Counter)
