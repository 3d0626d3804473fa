"""Which descriptions are paired with which clips, and how they are drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import UsageError
from aptone.rooms.style.build.pairs import candidate_pairs, draw_evenly


def test_without_a_shuffle_every_description_keeps_its_nearest_clips() -> None:
    similarities = np.array([[0.9, 0.1, 0.5], [0.2, np.nan, 0.8]])
    assert candidate_pairs(similarities, nearest=2, kept=1.0) == [(0, 0), (0, 2), (1, 2), (1, 0)]


@given(some.integers(2, 12), some.integers(2, 12), some.floats(0, 1), some.integers(0, 9))
def test_a_shuffle_keeps_how_often_descriptions_occur_but_for_doubles(
    texts: int, clips: int, kept: float, seed: int
) -> None:
    similarities = np.random.default_rng(seed).normal(size=(texts, clips))
    pairs = candidate_pairs(similarities, nearest=3, kept=kept, seed=seed)
    assert len(set(pairs)) == len(pairs) <= texts * min(3, clips)
    assert {text for text, _ in pairs} == set(range(texts))


@given(some.integers(1, 10), some.integers(1, 40), some.integers(0, 9))
def test_bins_give_equal_numbers_up_to_one(bins: int, per_bin: int, seed: int) -> None:
    count = bins * per_bin + bins // 2
    pairs = [(n, n) for n in range(2 * count + bins)]
    scores = np.random.default_rng(seed).normal(size=len(pairs))
    drawn = draw_evenly(pairs, scores, count=count, bins=bins, seed=seed)
    assert len(drawn) == count
    assert len({(one.description, one.clip) for one in drawn}) == count
    numbers = np.bincount([one.bin for one in drawn], minlength=bins + 1)[1:]
    assert numbers.max() - numbers.min() <= 1
    for low in range(1, bins):  # bins are quantiles: none reaches into the next
        highest = max(one.score for one in drawn if one.bin == low)
        assert highest <= min(one.score for one in drawn if one.bin == low + 1)


def test_too_few_candidates_are_refused() -> None:
    with pytest.raises(UsageError, match="1 candidate pairs are fewer than the 2 to draw"):
        draw_evenly([(0, 0)], np.zeros(1), count=2, bins=2)
    with pytest.raises(UsageError, match="nothing can be paired"):
        candidate_pairs(np.full((1, 1), np.nan))


def test_a_description_that_is_not_understood_is_paired_with_nothing() -> None:
    similarities = np.array([[0.1, 0.9], [np.nan, np.nan], [0.5, 0.2]])
    assert candidate_pairs(similarities, nearest=1, kept=1.0) == [(0, 1), (2, 0)]
